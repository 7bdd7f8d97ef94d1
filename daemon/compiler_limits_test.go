package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/internal/eventually"
)

// shellWorker returns a worker that runs a script.
func shellWorker(script string) *compileWorker {
	return newCompileWorker([]string{"/bin/sh", "-c", script})
}

func TestAWorkerThatFailsIsQuotedWith4KiBAtMost(t *testing.T) {
	for script, want := range map[string]string{
		"printf %04096d 0 >&2; exit 1":     "the compile worker failed (exit status 1): " + strings.Repeat("0", 4096),
		"printf %04097d 0 >&2; exit 1":     "the compile worker failed (exit status 1): " + strings.Repeat("0", 4096),
		"exit 7":                           "run the compile worker /bin/sh: exit status 7",
		"echo 'out of memory' >&2; exit 1": "compiling the module takes more than the 4096 MiB of memory that a compile worker may use: break large functions up",
	} {
		if err := shellWorker(script).compile(eventually.Context(t), t.TempDir(), nil); err == nil || err.Error() != want {
			t.Errorf("%s: %.5000v, want %q", script, err, want)
		}
	}
}

func TestAWorkerIsKilledAfterFiveMinutes(t *testing.T) {
	w := shellWorker("exec sleep 100")
	if w.wall != 5*time.Minute {
		t.Errorf("a worker has %v", w.wall)
	}
	for _, wall := range []time.Duration{time.Millisecond, 0} { // 0: its time is up before the process starts
		w.wall = wall
		want := "compiling the module took longer than " + wall.String() + ": the machine is busy, or the module's functions are too complex"
		if err := w.compile(eventually.Context(t), t.TempDir(), nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
