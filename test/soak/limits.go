package main

import (
	"time"

	"github.com/canisterd/canisterd/internal/journal"
)

const (
	// answersKept is how long the network keeps the answer to an update (replica.MaxIngressTTL), and the daemon its
	// index of it.
	answersKept = 6 * time.Minute
	// answerBytes is the most that an answer takes of the heap, in bytes.
	answerBytes = 4 << 10
	// heapSlack is how many bytes the Go heap may grow by: some caches fill after the warm-up.
	heapSlack = 8 << 20
	// memorySlack is how many bytes the memory of the process may grow by. The runtime keeps up to as much free memory
	// as there is in use.
	memorySlack = 64 << 20
	// maxPooled is how many goroutines may wait in pools: one per processor, and the coroutines of messages.
	maxPooled = 64
	// storeFiles is how many files of the state directory may be open: the store keeps at most 100 tables open, and its
	// log, its manifest and its lock.
	storeFiles = 110
	// checkpointBytes is how many bytes of records make a checkpoint due (--checkpoint-bytes).
	checkpointBytes = 256 << 10
	// The budget of the history: bytes of its records (--history-records) and of its checkpoints
	// (--history-checkpoints).
	historyRecordBytes     = 1 << 20
	historyCheckpointBytes = 4 << 20
	// maxCheckpoints is how many checkpoints there may be, including the history.
	maxCheckpoints = 64
	// storeBytes is the most that the files of the store take: the records of the history, those after the older of two
	// checkpoints, those that come while a checkpoint is written, the same again during a compaction, and its logs.
	storeBytes = 2*(3*checkpointBytes+historyRecordBytes) + 4*journal.MemTableBytes
	// loadBytes is the most that the memories of the load take in a checkpoint: 1,000 pages of heap and 1,000 of stable
	// memory in one canister, and some pages in the others.
	loadBytes = 10 << 20
	// checkpointsBytes is the most that the files of the last two checkpoints take: page files may be half unused.
	checkpointsBytes = 2 * 2 * loadBytes
	// A process is measured after quietAfter without a change, or after quietLatest in any case.
	quietAfter  = 4 * time.Second
	quietLatest = time.Minute
)
