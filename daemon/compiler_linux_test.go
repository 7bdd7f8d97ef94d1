package daemon

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"testing"

	"github.com/canisterd/canisterd/daemon/instance/instancetest"
	"golang.org/x/sys/unix"
)

// The test runs itself as the worker.
func TestAWorkerHas4GiBAndGivesWayToOthers(t *testing.T) {
	if flag.Arg(0) == "limited" {
		limitWorker()
		var data unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_DATA, &data); err != nil {
			t.Fatal(err)
		}
		priority, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // 20 minus the niceness
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%d %d bytes of data, %d of Go, niceness %d\n", data.Cur, data.Max, debug.SetMemoryLimit(-1), 20-priority)
		os.Exit(0)
	}
	out, err := exec.CommandContext(instancetest.Patient(t), os.Args[0], "-test.run=^"+t.Name()+"$", "--", "limited").Output()
	const want = "4294967296 4294967296 bytes of data, 2147483648 of Go, niceness 10\n"
	if err != nil || string(out) != want {
		t.Errorf("the worker has %q, want %q: %v", out, want, err)
	}
}
