package instance_test

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
)

const week = 7 * 24 * time.Hour

// hands are those of a wall clock that tests move.
type hands struct{ passed atomic.Int64 }

var noon = time.Date(2031, 1, 1, 12, 0, 0, 0, time.UTC)

func (h *hands) now() time.Time { return noon.Add(time.Duration(h.passed.Load())) }

func (h *hands) pass(d time.Duration) { h.passed.Add(int64(d)) }

// shows is what the clock of an instance shows, since noon.
func shows(i *instance.Instance) time.Duration {
	return time.Unix(0, int64(i.Backend().Clock().Now)).Sub(noon)
}

// wants checks whether the clock of an instance shows a time, give or take the rounds that are run at one moment.
func wants(t *testing.T, i *instance.Instance, want time.Duration) {
	t.Helper()
	if got := shows(i); got < want || got > want+time.Millisecond {
		t.Errorf("%s: it is noon and %s, want %s", i.Name(), got, want)
	}
}

// movesTo moves the time of an instance to so long after noon.
func movesTo(t *testing.T, i *instance.Instance, at time.Duration) {
	t.Helper()
	if err := i.Driver().Do(t.Context(), func(n *replica.Network) {
		n.Apply(replica.AdvanceTo(uint64(noon.Add(at).UnixNano())))
		i.PutAhead(at - time.Unix(0, int64(i.Backend().Clock().Wall)).Sub(noon))
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Driver().Round(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func paces(t *testing.T, i *instance.Instance, mode instance.PacingMode) {
	t.Helper()
	if err := i.SetPacing(t.Context(), instance.Pacing{Mode: mode}); err != nil {
		t.Fatal(err)
	}
}

func TestTheWallClockGoesOnFromWhereTimeWasMovedByHand(t *testing.T) {
	var wall hands
	_, i := first(t, wall.now, instance.Pacing{Mode: instance.Manual})
	movesTo(t, i, week)
	wall.pass(time.Hour)
	wants(t, i, week)
	for _, mode := range []instance.PacingMode{instance.Auto, instance.Interval} {
		paces(t, i, mode)
	}
	wants(t, i, week)
	wall.pass(time.Hour)
	wants(t, i, week+time.Hour)
	i.PutAhead(time.Hour) // it is more already
	wants(t, i, week+time.Hour)
}

func TestAnInstanceThatIsBehindTheWallClockCatchesUp(t *testing.T) {
	var wall hands
	_, i := first(t, wall.now, instance.Pacing{Mode: instance.Manual})
	wall.pass(week)
	wants(t, i, 0)
	paces(t, i, instance.Auto)
	wants(t, i, week)
}

func TestARestoredInstanceGoesOnFromItsSnapshotsTime(t *testing.T) {
	var wall hands
	_, i := first(t, wall.now, instance.Pacing{})
	take := func(name string) {
		if _, err := i.TakeSnapshot(t.Context(), name, false); err != nil {
			t.Fatal(err)
		}
	}
	take("today")
	movesTo(t, i, week)
	take("in-a-week")
	movesTo(t, i, 2*week)
	wall.pass(time.Hour)
	wants(t, i, 2*week+time.Hour)
	for _, c := range []struct {
		name string
		want time.Duration
	}{{"in-a-week", week}, {"today", time.Hour}} {
		if err := i.Restore(t.Context(), c.name); err != nil {
			t.Fatal(err)
		}
		wants(t, i, c.want)
		// Nothing of the time before the restore reaches the network.
		if at := time.Unix(0, int64(i.Driver().View().Time)).Sub(noon); at > c.want+time.Millisecond {
			t.Errorf("%s: the network is at noon and %s", c.name, at)
		}
	}
}

func TestForksAndImportsGoOnFromTheTimeTheyHave(t *testing.T) {
	var wall hands
	r, i := first(t, wall.now, instance.Pacing{})
	movesTo(t, i, week)
	if _, err := i.TakeSnapshot(t.Context(), "kept", false); err != nil {
		t.Fatal(err)
	}
	frozen, err := i.Frozen(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	var file bytes.Buffer
	if err := frozen.Export(&file); err != nil {
		t.Fatal(err)
	}
	wall.pass(time.Hour)
	for _, c := range []struct {
		name string
		make func(ctx context.Context) (*instance.Instance, error)
		want time.Duration
	}{
		{"a fork of the present", func(ctx context.Context) (*instance.Instance, error) {
			return r.Fork(ctx, &instance.ForkSpec{})
		}, week + time.Hour},
		{"a fork of a snapshot", func(ctx context.Context) (*instance.Instance, error) {
			return r.Fork(ctx, &instance.ForkSpec{Snapshot: "kept"})
		}, week},
		{"a file", func(ctx context.Context) (*instance.Instance, error) {
			return r.Import(ctx, &instance.ImportSpec{}, io.Reader(&file))
		}, week},
		{"a start in the future", func(ctx context.Context) (*instance.Instance, error) {
			return r.Create(ctx, &instance.Spec{Start: uint64(noon.Add(2 * week).UnixNano())})
		}, 2 * week},
	} {
		t.Run(c.name, func(t *testing.T) {
			made, err := c.make(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			wants(t, made, c.want)
		})
	}
}

// A timer that was set a week from now by the wall clock is due when that shows it.
func TestTimersFireByTheWallClockWhereTimeIsAheadOfIt(t *testing.T) {
	var wall hands
	_, i := first(t, wall.now, instance.Pacing{})
	movesTo(t, i, shows(i)+week)
	ctx, id := eventually.Context(t), instancetest.Deploy(t, i, canistertest.Fixture("clock"), []byte("DIDL\x00\x00"))
	hour, err := candid.Marshal(uint64(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	instancetest.Update(t, i, id, id, "start", hour)
	for n := range uint64(3) {
		for ticks(t, i, id) < n {
			wall.pass(instance.Tick)
			// Something happens, so the instance looks at the wall clock, which is not the machine's.
			if err := i.Driver().Do(ctx, func(*replica.Network) {}); err != nil {
				t.Fatalf("the timer has fired %d times, want %d", ticks(t, i, id), n)
			}
		}
		if got := ticks(t, i, id); got != n {
			t.Fatalf("the timer has fired %d times, want %d", got, n)
		}
		wall.pass(time.Hour)
	}
}

// A wall clock that is set back by hours stops neither the instance's time nor the timers of canisters.
func TestTheTimeGoesOnWhenTheWallClockIsSetBackOrForward(t *testing.T) {
	var wall hands
	_, i := first(t, wall.now, instance.Pacing{})
	id := instancetest.Deploy(t, i, canistertest.Fixture("clock"), []byte("DIDL\x00\x00"))
	second, err := candid.Marshal(uint64(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	instancetest.Update(t, i, id, id, "start", second)
	for _, set := range []time.Duration{-time.Hour, time.Hour, -3 * time.Hour, 0, 2 * time.Hour} {
		before, fired := shows(i), ticks(t, i, id)
		wall.pass(set)
		if now := shows(i); now < before || now > before+max(0, set)+time.Millisecond {
			t.Errorf("the wall clock is set by %s: it is noon and %s, and was noon and %s", set, now, before)
		}
		wall.pass(3 * time.Second)
		if now := shows(i); now < before+3*time.Second-time.Millisecond { // rounds at one moment are some ns ahead
			t.Errorf("3 s after the wall clock is set by %s: it is noon and %s, and was noon and %s", set, now, before)
		}
		if err := i.Driver().Do(eventually.Context(t), func(*replica.Network) {}); err != nil {
			t.Fatal(err)
		}
		for ticks(t, i, id) == fired {
			if err := i.Driver().Do(eventually.Context(t), func(*replica.Network) {}); err != nil {
				t.Fatalf("no timer fires after the wall clock is set by %s: %v", set, err)
			}
		}
	}
}

// ticks is how often the timer of the fixture clock has fired.
func ticks(t *testing.T, i *instance.Instance, id principal.Principal) (count uint64) {
	t.Helper()
	result, err := i.Backend().Query(t.Context(), &replica.Query{Receiver: id, Effective: id, Method: "count", Arg: []byte("DIDL\x00\x00")})
	if err != nil {
		t.Fatal(err)
	}
	var ticks candid.Nat
	if err := candid.Unmarshal(result.Reply, &ticks); err != nil {
		t.Fatal(err)
	}
	count, _ = ticks.Uint64()
	return count
}

// The instance gets no requests: it looks by itself when something is due.
func TestAnInstanceWhoseTimeIsAheadWakesByItself(t *testing.T) {
	_, i := first(t, nil, instance.Pacing{})
	movesTo(t, i, week-time.Until(noon))
	id := instancetest.Deploy(t, i, canistertest.Fixture("clock"), []byte("DIDL\x00\x00"))
	often, err := candid.Marshal(uint64(50 * time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	instancetest.Update(t, i, id, id, "start", often)
	stands(t, i, i.Driver().View().Height+5)
}
