package daemon

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
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
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		least := workerNiceness
		for _, thread := range threads {
			id, _ := strconv.Atoi(thread.Name())
			if niceness, err := niceness(id); err == nil {
				least = min(least, niceness)
			}
		}
		fmt.Printf("%d %d bytes of data, %d of Go, least niceness %d\n", data.Cur, data.Max, debug.SetMemoryLimit(-1), least)
		os.Exit(0)
	}
	out, err := exec.CommandContext(eventually.Context(t), os.Args[0], "-test.run=^"+t.Name()+"$", "--", "limited").Output()
	const want = "4294967296 4294967296 bytes of data, 2147483648 of Go, least niceness 10\n"
	if err != nil || string(out) != want {
		t.Errorf("the worker has %q, want %q: %v", out, want, err)
	}
}
