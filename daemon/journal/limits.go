package journal

import "time"

const (
	// Version is the version of the layout that is written. Newer ones are refused.
	Version = 1
	// flushDelay is how long a record without a waiting caller stays in memory. Ours.
	flushDelay = 50 * time.Millisecond
	// maxPending is how many bytes of records may wait for their commit: more make their writer wait. Ours.
	maxPending = 32 << 20
	// keptPending is how large the room for records is that is kept for the next commit, in bytes. Ours.
	keptPending = 1 << 20
	// maxRecord is how long a record may be, in bytes. Ours.
	maxRecord = 1 << 30
	// firstDuration and durationBuckets are the histograms of how long commits, syncs and checkpoints take: each bound is
	// four times the one before. Ours.
	firstDuration   = 100 * time.Microsecond
	durationBuckets = 10
	// checkpoints is how many are kept at least, maxCheckpoints with those of the history. Ours.
	checkpoints    = 2
	maxCheckpoints = 64
	// The history that a journal keeps if it was not told another one: how far back it reaches, and bytes of its records
	// and of its checkpoints. Ours.
	historyAge             = 7 * 24 * time.Hour
	historyRecordBytes     = 256 << 20
	historyCheckpointBytes = 1 << 30
	// maxPageFiles is how many page files a checkpoint refers to. Bytes in more files are copied. Ours.
	maxPageFiles = 8
	// cacheBytes and MemTableBytes are what the store takes of memory: blocks are read once, in order. Ours.
	cacheBytes    = 1 << 20
	MemTableBytes = 8 << 20
	// writeBuffer is the size of the pieces in which files are written, in bytes. Ours.
	writeBuffer = 256 << 10
)
