package corpus

// Limits of a folder. Ours: an exploration begins with at most 1,000 runs.
const (
	maxFiles     = 1_000
	maxFileBytes = 256 << 10
	maxBytes     = 16 << 20
	// trimInterval is after how many added runs the folder is trimmed: it may exceed the limits by so many.
	trimInterval = 32
)
