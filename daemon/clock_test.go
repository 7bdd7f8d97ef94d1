package daemon

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/replica"
)

const week = 7 * 24 * time.Hour

// hands are those of a wall clock that tests move.
type hands struct{ passed atomic.Int64 }

var noon = time.Date(2031, 1, 1, 12, 0, 0, 0, time.UTC)

func (h *hands) now() time.Time { return noon.Add(time.Duration(h.passed.Load())) }

func (h *hands) pass(d time.Duration) { h.passed.Add(int64(d)) }

// shows is what the clock of an instance shows, since noon.
func shows(i control.Instance) time.Duration {
	return time.Unix(0, int64(i.Backend().Clock().Now)).Sub(noon)
}

// wants looks whether the clock of an instance shows a time, give or take the rounds that
// are run at one moment.
func wants(t *testing.T, i control.Instance, want time.Duration) {
	t.Helper()
	if got := shows(i); got < want || got > want+time.Millisecond {
		t.Errorf("%s: it is noon and %s, want %s", i.Name(), got, want)
	}
}

// movesTo moves the time of an instance to so long after noon.
func movesTo(t *testing.T, i control.Instance, at time.Duration) {
	t.Helper()
	if err := i.Node().Do(t.Context(), func(n *replica.Network) {
		n.Apply(replica.AdvanceTo(uint64(noon.Add(at).UnixNano())))
		i.PutAhead(at - time.Unix(0, int64(i.Backend().Clock().Wall)).Sub(noon))
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Node().Round(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func paces(t *testing.T, i control.Instance, mode Pacing) {
	t.Helper()
	if err := i.SetPacing(t.Context(), instance.Pacing{Mode: mode}); err != nil {
		t.Fatal(err)
	}
}

func TestTheWallClockGoesOnFromWhereTimeWasMovedByHand(t *testing.T) {
	var wall hands
	d := started(t, Config{Pacing: Manual, wall: wall.now})
	movesTo(t, d.first, week)
	wall.pass(time.Hour)
	wants(t, d.first, week)
	for _, mode := range []Pacing{Auto, Interval} {
		paces(t, d.first, mode)
	}
	wants(t, d.first, week)
	wall.pass(time.Hour)
	wants(t, d.first, week+time.Hour)
	d.first.PutAhead(time.Hour) // it is more already
	wants(t, d.first, week+time.Hour)
}

func TestAnInstanceThatIsBehindTheWallClockCatchesUp(t *testing.T) {
	var wall hands
	d := started(t, Config{Pacing: Manual, wall: wall.now})
	wall.pass(week)
	wants(t, d.first, 0)
	paces(t, d.first, Auto)
	wants(t, d.first, week)
}

func TestARestoredInstanceGoesOnFromItsSnapshotsTime(t *testing.T) {
	var wall hands
	d := started(t, Config{wall: wall.now})
	take := func(name string) {
		if _, err := d.first.TakeSnapshot(t.Context(), name, false); err != nil {
			t.Fatal(err)
		}
	}
	take("today")
	movesTo(t, d.first, week)
	take("in-a-week")
	movesTo(t, d.first, 2*week)
	wall.pass(time.Hour)
	wants(t, d.first, 2*week+time.Hour)
	for _, c := range []struct {
		name string
		want time.Duration
	}{{"in-a-week", week}, {"today", time.Hour}} {
		if err := d.first.Restore(t.Context(), c.name); err != nil {
			t.Fatal(err)
		}
		wants(t, d.first, c.want)
		// Nothing of the time before the restore reaches the network.
		if at := time.Unix(0, int64(d.Node().View().Time)).Sub(noon); at > c.want+time.Millisecond {
			t.Errorf("%s: the network is at noon and %s", c.name, at)
		}
	}
}

func TestForksAndImportsGoOnFromTheTimeTheyHave(t *testing.T) {
	var wall hands
	d := started(t, Config{wall: wall.now})
	movesTo(t, d.first, week)
	if _, err := d.first.TakeSnapshot(t.Context(), "kept", false); err != nil {
		t.Fatal(err)
	}
	frozen, err := d.first.Frozen(t.Context(), "")
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
		make func(ctx context.Context) (control.Instance, error)
		want time.Duration
	}{
		{"a fork of the present", func(ctx context.Context) (control.Instance, error) {
			return d.Fork(ctx, &instance.ForkSpec{})
		}, week + time.Hour},
		{"a fork of a snapshot", func(ctx context.Context) (control.Instance, error) {
			return d.Fork(ctx, &instance.ForkSpec{Snapshot: "kept"})
		}, week},
		{"a file", func(ctx context.Context) (control.Instance, error) {
			return d.Import(ctx, &instance.ImportSpec{}, io.Reader(&file))
		}, week},
		{"a start in the future", func(ctx context.Context) (control.Instance, error) {
			return d.Create(ctx, &instance.Spec{Start: uint64(noon.Add(2 * week).UnixNano())})
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
	wall.pass(-time.Until(noon)) // for clients have the machine's
	d := started(t, Config{wall: wall.now})
	movesTo(t, d.first, shows(d.first)+week)
	u := userOf(t, d)
	id := u.deploy(motoko(t, "clock"))
	hour, err := candid.Marshal(uint64(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	d.update(t, d.first, id, id, "start", hour)
	for n := range uint64(3) {
		for ticks(t, d.first, id) < n {
			d.first.pacer.wake() // it sleeps by the machine's clock
			wall.pass(tick)
			if u.ctx.Err() != nil {
				t.Fatalf("the timer has fired %d times, want %d", ticks(t, d.first, id), n)
			}
		}
		if got := ticks(t, d.first, id); got != n {
			t.Fatalf("the timer has fired %d times, want %d", got, n)
		}
		wall.pass(time.Hour)
	}
}

// ticks is how often the timer of the fixture clock has fired.
func ticks(t *testing.T, i control.Instance, id principal.Principal) (count uint64) {
	t.Helper()
	result, err := i.Backend().Query(t.Context(), &api.Query{Receiver: id, Effective: id, Method: "count", Arg: []byte("DIDL\x00\x00")})
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

// The client of these tests signs requests of the wall clock's time and takes no answers
// of another.
func TestClientsThatKnowOnlyTheWallClockAreServedWhateverTheTimeIs(t *testing.T) {
	d := started(t, Config{})
	u := userOf(t, d)
	id := u.deploy(motoko(t, "counter"))
	none := []byte("DIDL\x00\x00")
	for n, ahead := range []time.Duration{0, time.Minute, week, 40 * 365 * 24 * time.Hour} {
		movesTo(t, d.first, ahead-time.Until(noon))
		if _, err := u.Call(u.ctx, id, id, "inc", none); err != nil {
			t.Errorf("%s ahead: %v", ahead, err)
		}
		if _, err := u.Query(u.ctx, id, id, "get", none); err != nil {
			t.Errorf("%s ahead, a query: %v", ahead, err)
		}
		if n > 0 && d.first.Offset() < ahead/2 {
			t.Errorf("it is %s ahead, want %s", d.first.Offset(), ahead)
		}
	}
	paces(t, d.first, Manual)
	if _, err := u.Query(u.ctx, id, id, "get", none); err != nil {
		t.Errorf("paced by hand: %v", err)
	}
}

// Nobody asks anything of the instance: it looks by itself when something is due.
func TestAnInstanceWhoseTimeIsAheadWakesByItself(t *testing.T) {
	d := started(t, Config{})
	movesTo(t, d.first, week-time.Until(noon))
	id := userOf(t, d).deploy(motoko(t, "clock"))
	often, err := candid.Marshal(uint64(50 * time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	d.update(t, d.first, id, id, "start", often)
	stands(t, d, d.Node().View().Height+5)
}
