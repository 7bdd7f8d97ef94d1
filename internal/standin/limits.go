package standin

const (
	// MaxFileBytes limits the file of a recording, and so the size of its module (specification: 100 MiB). Ours.
	MaxFileBytes = 16 << 20
	// MaxReplies limits the replies of a recording: a stand-in compares an argument with each of its method. Ours.
	MaxReplies = 10_000
)
