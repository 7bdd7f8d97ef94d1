package daemon

import (
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// limitWorker bounds the memory of this process and lets others have the processors first. A limit that the
// system does not know is left out: the estimate of the time bounds the memory too.
func limitWorker() {
	debug.SetMemoryLimit(maxWorkerMemory / 2)
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: maxWorkerMemory, Max: maxWorkerMemory})
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, workerNiceness)
}
