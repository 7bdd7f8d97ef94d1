//go:build !race

// The race detector makes the compiler ten times slower, so the measure means nothing under it.

package rewrite

import (
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// processorTime is what this thread has used of its processor: other tests run beside this one.
func processorTime(t testing.TB) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// compileTime is the processor time in which one worker compiles a module: wazero runs a single worker in the
// goroutine of its caller.
func compileTime(t testing.TB, m *Module) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	config := wazero.NewRuntimeConfigCompiler().WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall).WithDebugInfoEnabled(false)
	r := wazero.NewRuntimeWithConfig(t.Context(), config)
	defer r.Close(t.Context())
	before := processorTime(t)
	if _, err := r.CompileModule(experimental.WithCompilationWorkers(t.Context(), 1), m.Binary); err != nil {
		t.Fatal(err)
	}
	return processorTime(t) - before
}

// The bounds are wide because other processes disturb the measure: what matters is that
// no shape is off by the square of its size.
func TestTheEstimateFollowsTheCompiler(t *testing.T) {
	t.Parallel()
	const least, most = 0.1, 40
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		shape := shapes[name]
		for _, n := range []int{shape.size/2 + r.IntN(shape.size/2), shape.size + r.IntN(shape.size/4)} {
			m, err := estimated(t, shape.make(n).encode())
			if err != nil {
				t.Fatalf("%s of size %d: %v", name, n, err)
			}
			took := compileTime(t, m)
			ratio := float64(m.CompileTime) / float64(took)
			t.Logf("%-32s of size %5d: estimated %4d ms, took %4d ms: %.2f", name, n, m.CompileTime/1e6, took.Milliseconds(), ratio)
			if ratio < least || ratio > most {
				t.Errorf("the estimate for %s of size %d is %.2f times the time measured, want %v to %v", name, n, ratio, least, most)
			}
		}
	}
}
