package main

import (
	"time"

	"github.com/canisterd/canisterd/daemon/journal"
)

const (
	// answersKept is how long the network keeps the answer to an update (replica.MaxIngressTTL), and the daemon what
	// it needs to find it.
	answersKept = 6 * time.Minute
	// answerBytes is what an answer takes of the heap at most.
	answerBytes = 4 << 10
	// heapSlack is how many bytes more of the Go heap are no growth: caches that fill after the warm-up.
	heapSlack = 8 << 20
	// memorySlack is how many bytes more of the machine's memory are no growth. The runtime keeps up to as much free as
	// there is in use.
	memorySlack = 64 << 20
	// maxPooled is how many goroutines may wait in pools: one for each processor, and the coroutines in which messages
	// run.
	maxPooled = 64
	// storeFiles is how many files of the state directory may be open: the store keeps 100 tables open at most, beside
	// its log, its manifest and its lock.
	storeFiles = 110
	// checkpointBytes is how many bytes of records make a checkpoint due (--checkpoint-bytes).
	checkpointBytes = 256 << 10
	// The history that is kept: bytes of its records (--history-records) and of its checkpoints (--history-checkpoints).
	historyRecordBytes     = 1 << 20
	historyCheckpointBytes = 4 << 20
	// maxCheckpoints is how many checkpoints there may be, with those of the history.
	maxCheckpoints = 64
	// storeBytes is what the files of the store take at most: the records of the history, those after the older of two
	// checkpoints, those that come while a checkpoint is written, as much again while the store compacts, and its logs.
	storeBytes = 2*(3*checkpointBytes+historyRecordBytes) + 4*journal.MemTableBytes
	// loadBytes is what the memories of the load take in a checkpoint at most: 1,000 pages of the heap and as many of the
	// stable memory of one canister, and some pages of the others.
	loadBytes = 10 << 20
	// checkpointsBytes is what the files of the last two checkpoints take at most: page files may be half unused.
	checkpointsBytes = 2 * 2 * loadBytes
	// quietAfter is how long nothing must change until a process counts as quiet, and quietLatest when it is measured
	// all the same.
	quietAfter  = 4 * time.Second
	quietLatest = time.Minute
)
