package archive

// Limits of the file. All are ours: no specification covers them.
const (
	// PageSize is the unit in which memories are written, in bytes.
	PageSize = 4096
	// frameBytes is the maximum content of a frame.
	frameBytes = 256 << 10
	// runPages is the maximum number of pages in one record.
	runPages = 16
	// maxZeroPages is how many pages of zeros a file leaves out: reading them takes space, and a file of a few bytes
	// must not take much. The others are written, and compressed. With a store, it is the limit of each memory.
	maxZeroPages = 1 << 14
	// smallFrame is the content below which compression is not tried.
	smallFrame = 1024
	// maxExpansion is how many bytes one compressed byte can become, as in RFC 1951: the zeros of a frame alone would be
	// 18,000, and a file of a few bytes must not take much.
	maxExpansion = 1024
	// firstAllocation is how many bytes are allocated for a value before any of them has arrived.
	firstAllocation = 64 << 10
	// MaxBytes is the longest value of bytes, MaxItems the longest list, unless something else limits them.
	MaxBytes = 1 << 30
	MaxItems = 1<<31 - 1
	// maxSegments is how many places of one memory are remembered.
	maxSegments = 4
	// maxName is the longest name of a section, in bytes.
	maxName = 255
)
