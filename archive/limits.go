package archive

// Limits of the file. All are ours: nothing like it is specified.
const (
	// Version is the version of the format that is written, and the newest that is read. Those before it are read as
	// well: the doc of the package says what came with which.
	Version = 9
	// OldestWritten is the oldest version that can still be written: the first whose checkpoints have a hash of the state
	// that does not depend on the places of pages.
	OldestWritten = 7
	// PageSize is the unit in which memories are written, in bytes.
	PageSize = 4096
	// frameBytes is the content of a frame at most.
	frameBytes = 256 << 10
	// runPages is how many pages are written with one record at most.
	runPages = 16
	// maxZeroPages is how many pages of zeros a file leaves out: those that are read take space, and a file of a few
	// bytes must not take much. The others are written, and compressed. With a store, it is the limit of each memory.
	maxZeroPages = 1 << 14
	// smallFrame is the content below which compressing is not tried.
	smallFrame = 1024
	// sampleBytes at the beginning of a frame tell whether it is worth compressing: where they do not shrink by an
	// eighth, it is not.
	sampleBytes = 8 << 10
	// firstAllocation is how many bytes are taken for a value before any of them has arrived.
	firstAllocation = 64 << 10
	// MaxBytes is the longest value of bytes, MaxItems the longest list, where nothing else bounds them.
	MaxBytes = 1 << 30
	MaxItems = 1<<31 - 1
	// maxSegments is how many places of the same memory are remembered.
	maxSegments = 4
	// maxName is the longest name of a section, in bytes.
	maxName = 255
)
