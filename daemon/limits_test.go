package daemon

import (
	"testing"

	"github.com/canisterd/canisterd/api/control"
)

func TestADaemonHasTenThousandInstancesAtMost(t *testing.T) {
	r := newRegistry(0)
	for n := range 10_000 {
		if _, err := r.reserve(new(control.Placement)); err != nil {
			t.Fatalf("instance %d: %v", n+1, err)
		}
	}
	const want = "the daemon has 10000 instances, which is the most it has: delete some, or bind them to leases"
	if name, err := r.reserve(new(control.Placement)); err == nil || err.Error() != want {
		t.Errorf("one more: %q, %v, want %q", name, err, want)
	}
}
