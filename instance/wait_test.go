package instance_test

import (
	"testing"
	"time"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
)

func TestACallerThatDoesNotWaitHasWhatHappensAtThePresentTime(t *testing.T) {
	for _, c := range []struct {
		pacing        instance.Pacing
		run, answered bool
	}{
		{instance.Pacing{Mode: instance.Auto}, false, true},
		{instance.Pacing{Mode: instance.Still}, false, true},
		{instance.Pacing{Mode: instance.Manual}, true, true},
		{instance.Pacing{Mode: instance.Manual}, false, false},
		{instance.Pacing{Mode: instance.Interval, Interval: time.Hour}, true, false},
	} {
		var wall hands
		_, i := first(t, wall.now, instance.Pacing{Mode: instance.Manual})
		ctx, id := eventually.Context(t), instancetest.Deploy(t, i, canistertest.Fixture("counter"), nil)
		request := instancetest.Submit(t, i, id, id, "inc", []byte("DIDL\x00\x00"))
		subnet := i.Driver().View().SubnetOf(id).ID
		if err := i.SetPacing(ctx, c.pacing); err != nil {
			t.Fatal(err)
		}
		answered, err := i.AwaitPresent(ctx, c.run, func(n *replica.Network) bool { return n.IngressStatus(subnet, request).Terminal() })
		if answered != c.answered || err != nil {
			t.Errorf("where pacing is %s and rounds are run %v, the call is answered: %v, %v", c.pacing.Mode, c.run, answered, err)
		}
		if never, err := i.AwaitPresent(ctx, c.run, func(*replica.Network) bool { return false }); never || err != nil {
			t.Errorf("where pacing is %s, waiting for nothing ends with %v, %v", c.pacing.Mode, never, err)
		}
	}
}
