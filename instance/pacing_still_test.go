package instance_test

import (
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
)

func TestWhereTimeStandsStillMessagesRunAndClientsAloneMoveTheTime(t *testing.T) {
	var wall hands
	_, i := first(t, wall.now, instance.Pacing{Mode: instance.Still})
	ctx, id := eventually.Context(t), instancetest.Deploy(t, i, canistertest.Fixture("clock"), []byte("DIDL\x00\x00"))
	hour, err := candid.Marshal(uint64(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	instancetest.Update(t, i, id, id, "start", hour)
	started := shows(i)
	fired := func(what string, want uint64) {
		t.Helper()
		if _, err := i.RunUntil(ctx, instance.Idle(), 0); err != nil {
			t.Fatal(err)
		}
		if got := ticks(t, i, id); got != want {
			t.Errorf("%s, the timer has fired %d times, want %d", what, got, want)
		}
	}
	wall.pass(week)
	i.Backend().View()
	fired("after a week by the wall clock", 0)
	wants(t, i, started)
	if err := i.SetTime(ctx, i.Backend().Clock().Now+uint64(time.Hour)); err != nil {
		t.Fatal(err)
	}
	fired("after an hour that a client let pass", 1)
	wants(t, i, started+time.Hour)
	if until, err := i.RunUntil(ctx, instance.NextTimer(), 0); err != nil || until.Reason != instance.ConditionMet {
		t.Errorf("a run until the timer stops with %+v (%v)", until, err)
	}
	fired("after a run until then", 2)
	if seen, err := i.AwaitHere(ctx, func(*replica.Network) bool { return false }); seen || err != nil {
		t.Errorf("waiting for what cannot happen now ends with %v, %v", seen, err)
	}
}
