package daemon

import (
	"os"
	"runtime/debug"
	"strconv"

	"golang.org/x/sys/unix"
)

// limitWorker bounds the memory of this process and lowers its priority. It skips a limit that the system does not
// know: the estimate of the time bounds the memory too.
func limitWorker() {
	debug.SetMemoryLimit(maxWorkerMemory / 2)
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: maxWorkerMemory, Max: maxWorkerMemory})
	for giveWay() {
	}
}

// giveWay sets the niceness of each thread of this process, and reports whether it changed any. Linux keeps a niceness
// per thread, and a new thread inherits its creator's. The walk can miss a thread that is created meanwhile, so it is
// repeated until it changes nothing.
func giveWay() (changed bool) {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			continue
		}
		if niceness, err := niceness(id); err != nil || niceness >= workerNiceness {
			continue // the thread has ended, or needs no change
		}
		if unix.Setpriority(unix.PRIO_PROCESS, id, workerNiceness) == nil {
			changed = true
		}
	}
	return changed
}

// niceness returns the niceness of a thread. The system call returns 20 minus the niceness.
func niceness(thread int) (int, error) {
	priority, err := unix.Getpriority(unix.PRIO_PROCESS, thread)
	return 20 - priority, err
}
