package replica_test

import (
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/replica"
)

// A round may begin with a step that tells nothing, because a parked message is parked
// again; what came from other subnets and what time has cost happened all the same.
func TestTheModelSeesARoundBeginWithAMessageThatStaysParked(t *testing.T) {
	w := newTwin(t, replica.Config{SliceInstructions: 50_000, Subnets: []replica.SubnetConfig{{Nodes: 13}, {Nodes: 13}}})
	step := func() {
		w.Step(replica.FIFO{})
		w.opened()
		w.compare()
		w.audit()
		if w.failed() != "" {
			t.Fatalf("%s\n%s", w.failed(), w.recently())
		}
	}
	round := func() {
		for height := w.View().Height; w.View().Height == height; {
			step()
		}
	}
	near, far := w.OnSubnet(0, 0), w.OnSubnet(1, 0)
	for _, n := range []int{near, near, far} {
		w.submit(n+1<<19, "create", "1000000000000000")
		round()
	}
	for _, n := range []int{near, near + 1, far} {
		w.submit(n, "install", fmt.Sprintf("%d count", n))
		round()
	}
	w.submit(near, "run", "spend 400000 reply long")
	w.submit(near+1, "run", "call 0 (reply there) then (echo) else (echo)")
	round()
	charged := func() (int, uint64) {
		f, _ := w.world.Observe(0)
		return f.Requests, f.Paid
	}
	_, paid := charged()
	w.Apply(replica.AdvanceTo(w.View().Time + uint64(replica.ChargeInterval)))
	events := w.events
	step()
	switch requests, now := charged(); {
	case w.events != events:
		t.Errorf("the step told %d events, and the test needs one that tells none", w.events-events)
	case requests != 1 || now <= paid:
		t.Errorf("%d requests wait and %d cycles were paid, want 1 and more than %d", requests, now, paid)
	}
	for w.Activity().HasDueWork {
		round()
	}
}
