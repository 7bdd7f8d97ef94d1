package ratio

import "golang.org/x/sys/unix"

// cpuTime returns the nanoseconds of processors that this process has used. What else the machine does takes none of
// them.
func cpuTime() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return t.Nano()
}
