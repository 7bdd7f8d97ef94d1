package workqueue

import (
	"os"
	"runtime"
	"runtime/debug"
)

// Dedicate makes this process one of a worker that runs a number of jobs beside each other. It uses as many processors:
// the garbage collector would take those of other workers on this computer. The garbage of runs is large beside what lives,
// so it is collected less often. GOMAXPROCS and GOGC in the environment win.
func Dedicate(slots int) {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(min(max(1, slots), runtime.GOMAXPROCS(0)))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
