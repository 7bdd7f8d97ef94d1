package assets

const (
	// MaxFiles limits the files of a directory. Ours.
	MaxFiles = 20_000
	// maxChunkBytes is the size of the parts in which contents are sent: an ingress message has at most 2 MiB.
	maxChunkBytes = 1_900_000
)
