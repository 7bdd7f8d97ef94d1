package journal

import "time"

const (
	// Version is the version of the layout that is written. Newer versions are refused.
	Version = 1
	// flushDelay is how long a record without a waiting caller stays in memory. Ours.
	flushDelay = 50 * time.Millisecond
	// maxPending is how many bytes of records may wait for their commit before Append blocks. Ours.
	maxPending = 32 << 20
	// keptPending is the largest buffer for records that is reused by the next commit, in bytes. Ours.
	keptPending = 1 << 20
	// maxRecord is the largest size of a record, in bytes. Ours.
	maxRecord = 1 << 30
	// firstDuration and durationBuckets define the histograms of the durations of commits, syncs and checkpoints: each
	// bound is four times the previous one. Ours.
	firstDuration   = 100 * time.Microsecond
	durationBuckets = 10
	// checkpoints is how many are always kept, maxCheckpoints the limit including the history. Ours.
	checkpoints    = 2
	maxCheckpoints = 64
	// The default retention of the history: its age, the bytes of its records and the bytes of its checkpoints. Ours.
	historyAge             = 7 * 24 * time.Hour
	historyRecordBytes     = 256 << 20
	historyCheckpointBytes = 1 << 30
	// maxPageFiles is how many page files a checkpoint refers to at most. Bytes in other files are copied. Ours.
	maxPageFiles = 8
	// cacheBytes and MemTableBytes bound the memory of the store. Blocks are read once, in order. Ours.
	cacheBytes    = 1 << 20
	MemTableBytes = 8 << 20
	// writeBuffer is the buffer size for writing files, in bytes. Ours.
	writeBuffer = 256 << 10
)
