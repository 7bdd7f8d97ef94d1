package instance_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
)

// stateAt is a round and the hash of the state after it.
type stateAt struct {
	height, time uint64
	hash         [32]byte
}

// marked runs a counter, and returns the states after some of the rounds. If checkpoints are made after few records, it
// waits for one after each update, so that the speed of writing them makes no difference.
func (c *crashing) marked(t *testing.T, updates int) (states []stateAt) {
	t.Helper()
	id := c.deploy()
	for range updates {
		newest := c.newest()
		c.count(id)
		if err := c.SetTime(t.Context(), c.Driver().View().Time+3_000_000_000); err != nil {
			t.Fatal(err)
		}
		if _, err := c.RunRounds(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		v := c.Driver().View()
		states = append(states, stateAt{v.Height, v.Time, c.hash()})
		if c.checkpoint > 0 { // one is due, and is written in the background
			eventually.True(t, "a checkpoint", func() bool { return c.newest() != newest })
		}
	}
	return states
}

// newest returns the position of the newest checkpoint.
func (c *crashing) newest() uint64 {
	c.t.Helper()
	h, err := c.History(c.t.Context(), instance.HistoryPart{Most: 1})
	if err != nil {
		c.t.Fatal(err)
	}
	return h.Checkpoints[len(h.Checkpoints)-1].Position
}

// forked forks the instance at a moment, deletes the fork, and returns its state.
func (c *crashing) forked(t *testing.T, at instance.Moment) (stateAt, error) {
	t.Helper()
	made, err := c.registry.Fork(t.Context(), &instance.ForkSpec{Source: instance.Default, At: &at, Placement: instance.Placement{Name: "fork", Ephemeral: true}})
	if err != nil {
		return stateAt{}, err
	}
	v := made.Driver().View()
	source := c.Instance
	c.Instance = made
	s := stateAt{v.Height, v.Time, c.hash()}
	c.Instance = source
	if err := c.registry.Delete("fork"); err != nil {
		t.Error(err)
	}
	return s, nil
}

func TestAForkAtAPastRoundHasTheStateOfThatRound(t *testing.T) {
	c := newCrashing(t)
	states := c.marked(t, 4)
	c.crash(0, rand.New(rand.NewPCG(1, 2)))
	states = append(states, c.marked(t, 3)...)
	for _, want := range states {
		for _, at := range []instance.Moment{{Height: want.height}, {Time: want.time}} {
			if got, err := c.forked(t, at); err != nil || got != want {
				t.Errorf("a fork %s is at round %d, want %d, with the same state %v: %v", &at, got.height, want.height, got.hash == want.hash, err)
			}
		}
	}
}

// Most checkpoints are made when the clock has moved on since the last round. A fork at that round did not use such a
// checkpoint, and replayed for seconds. A fork at a time after the round had the clock of the checkpoint.
func TestAForkAtTheRoundOfACheckpointReplaysNothing(t *testing.T) {
	c := newCrashing(t)
	states := c.marked(t, 2)
	want := states[len(states)-1]
	if err := c.SetTime(t.Context(), want.time+3_600_000_000_000); err != nil {
		t.Fatal(err)
	}
	all := c.stop()
	if newest := all[len(all)-1]; len(all) < 2 || newest.Height != want.height {
		t.Fatalf("the checkpoints are %+v, want the newest of round %d", all, want.height)
	}
	c.open(instance.Spec{Pacing: instance.Pacing{Mode: instance.Manual}})
	for _, older := range all[:len(all)-1] {
		if err := c.fs.Remove("/state/" + older.File); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []instance.Moment{{Height: want.height}, {Time: want.time}, {Time: want.time + 1}} {
		if got, err := c.forked(t, at); err != nil || got != want {
			t.Errorf("a fork %s is at round %d, want %d, with the same state %v: %v", &at, got.height, want.height, got.hash == want.hash, err)
		}
	}
}

// TestAForkReachesBackAsFarAsTheHistoryIsKept forks at rounds of a history from which some checkpoints in the middle
// were dropped.
func TestAForkReachesBackAsFarAsTheHistoryIsKept(t *testing.T) {
	const most = 700 << 10
	c := newRetaining(t, journal.Retention{Age: time.Hour, RecordBytes: 1 << 20, CheckpointBytes: most}, 100)
	states := c.marked(t, 12)
	c.crash(0, rand.New(rand.NewPCG(1, 2)))
	states = append(states, c.marked(t, 12)...)
	h, err := c.History(t.Context(), instance.HistoryPart{Most: 1000})
	if err != nil {
		t.Fatal(err)
	}
	bytes, widest := int64(0), uint64(0)
	for i, k := range h.Checkpoints[:len(h.Checkpoints)-2] {
		bytes += k.Bytes
		widest = max(widest, h.Checkpoints[i+1].Height-k.Height)
	}
	if len(h.Checkpoints) < 4 || bytes > most || widest < 6 || h.First != 0 {
		t.Errorf("from round %d on there are %d checkpoints, the older ones of %d bytes, with up to %d rounds between them", h.First, len(h.Checkpoints), bytes, widest)
	}
	for nth, want := range states {
		if testing.Short() && nth%4 != 0 { // 48 forks under the race detector are half of the time of the package
			continue
		}
		for _, at := range []instance.Moment{{Height: want.height}, {Time: want.time}} {
			if got, err := c.forked(t, at); err != nil || got != want {
				t.Errorf("a fork %s is at round %d, want %d, with the same state %v: %v", &at, got.height, want.height, got.hash == want.hash, err)
			}
		}
	}
	for after := uint64(0); ; { // in pages of two
		page, err := c.History(t.Context(), instance.HistoryPart{After: after, Most: 2})
		if err != nil || len(page.Accepted) == 0 || !reflect.DeepEqual(page.Accepted, h.Accepted[:len(page.Accepted)]) || page.Last != h.Last {
			t.Fatalf("the page after record %d has %+v, want %+v: %v", after, page.Accepted, h.Accepted[:2], err)
		}
		if h.Accepted = h.Accepted[len(page.Accepted):]; !page.More {
			break
		}
		after = page.Accepted[1].Position + 1
	}
	if len(h.Accepted) > 0 {
		t.Errorf("%d inputs are on no page", len(h.Accepted))
	}
}

// A checkpoint that became due while a step held a round open was not made until the clock requested another one.
func TestACheckpointThatIsDueInAnOpenRoundIsMadeAfterIt(t *testing.T) {
	synctest.Test(t, checkpointInAnOpenRound)
}

func checkpointInAnOpenRound(t *testing.T) {
	c := newRetaining(t, journal.Retention{Age: time.Hour}, 2000)
	id := c.deploy()
	for range 2 {
		instancetest.Submit(t, c.Instance, id, id, "inc", []byte("DIDL\x00\x00"))
	}
	if _, err := c.Step(t.Context(), instance.Matching(instance.Move{})); err != nil {
		t.Fatal(err)
	}
	for range 60 { // each is a record of more than a hundred bytes
		instancetest.Submit(t, c.Instance, id, id, "inc", []byte("DIDL\x00\x00"))
	}
	synctest.Wait() // the checkpoint has been tried
	newest := c.newest()
	for range 100 {
		if _, err := c.RunRounds(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if synctest.Wait(); c.newest() != newest {
			return
		}
	}
	t.Error("no checkpoint was made after the round")
}

func TestAForkBeforeTheFirstRoundHasTheClockOfTheStart(t *testing.T) {
	c := newCrashing(t)
	want := c.hash()
	c.marked(t, 1)
	if got, err := c.forked(t, instance.Moment{Height: 0}); err != nil || got.hash != want {
		t.Errorf("a fork before the first round is at round %d, with the same state %v: %v", got.height, got.hash == want, err)
	}
}

func TestAForkBeforeAMessageIsWithoutIt(t *testing.T) {
	c := newCrashing(t)
	canister := c.deploy()
	if got := c.count(canister); !strings.HasSuffix(got, "\x01") {
		t.Fatalf("the counter says %q", got)
	}
	before := c.hash()
	request := instancetest.Submit(t, c.Instance, canister, canister, "inc", []byte("DIDL\x00\x00"))
	if _, err := c.RunRounds(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if got, err := c.forked(t, instance.Moment{Request: &request}); err != nil || got.hash != before {
		t.Errorf("a fork before the message has round %d and another state: %v", got.height, err)
	}
}

func TestAForkAtAMarkHasTheStateThatWasMarked(t *testing.T) {
	c := newCrashing(t)
	canister := c.deploy()
	mark := func(name string) stateAt {
		t.Helper()
		made, err := c.Mark(t.Context(), name)
		v := c.Driver().View()
		if err != nil || made.Height != v.Height || made.Time != v.Time || made.Kind != "mark" || made.Mark != name {
			t.Fatalf("the mark is %+v: %v", made, err)
		}
		return stateAt{v.Height, v.Time, c.hash()}
	}
	mark("first")
	c.count(canister)
	again := mark("first")
	instancetest.Submit(t, c.Instance, canister, canister, "inc", []byte("DIDL\x00\x00"))
	between := mark(strings.Repeat("b", 64)) // in the middle of what one round is given
	instancetest.Submit(t, c.Instance, canister, canister, "inc", []byte("DIDL\x00\x00"))
	if _, err := c.RunRounds(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	c.crash(0, rand.New(rand.NewPCG(1, 2)))
	for name, want := range map[string]stateAt{"first": again, strings.Repeat("b", 64): between} {
		if got, err := c.forked(t, instance.Moment{Mark: name}); err != nil || got != want {
			t.Errorf("a fork at %.10q is at round %d, want %d, with the same state %v: %v", name, got.height, want.height, got.hash == want.hash, err)
		}
	}
	h, err := c.History(t.Context(), instance.HistoryPart{Most: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, a := range h.Accepted[len(h.Accepted)-5:] {
		kinds = append(kinds, a.Kind)
	}
	if got := strings.Join(kinds, " "); got != "ingress mark ingress mark ingress" {
		t.Errorf("the history ends with %s", got)
	}
	marks, err := c.History(t.Context(), instance.HistoryPart{Most: 1, OnlyMarks: true})
	if err != nil || len(marks.Accepted) != 1 || marks.Accepted[0].Kind != "mark" || !marks.More || marks.Last != h.Last {
		t.Errorf("the first mark alone: %+v, %v", marks, err)
	}
	for _, name := range []string{"", "Not a name", "1", strings.Repeat("b", 65)} {
		if _, err := c.Mark(t.Context(), name); err == nil || !strings.Contains(err.Error(), "expected 1 to 64 of a-z") {
			t.Errorf("a mark %.10q: %v", name, err)
		}
	}
}

func TestAMomentThatTheJournalLacksIsRefusedWithThoseItHas(t *testing.T) {
	c := newCrashing(t)
	states := c.marked(t, 1)
	last := states[0].height
	for _, at := range []instance.Moment{{Height: last + 1}, {Time: 1}, {Time: states[0].time + 1_000_000_000_000}, {Request: &replica.RequestID{7}}, {Mark: "none"}} {
		_, err := c.forked(t, at)
		if refused, ok := errors.AsType[*instance.Refusal](err); !ok || refused.Reason != instance.UnknownMoment || !strings.Contains(err.Error(), "from round 0 to round ") {
			t.Errorf("a fork %s: %v", &at, err)
		}
	}
	if _, err := c.registry.Fork(t.Context(), &instance.ForkSpec{Source: instance.Default, Snapshot: "some", At: &instance.Moment{Height: 1}}); err == nil || !strings.Contains(err.Error(), "not from both") {
		t.Errorf("a fork of a snapshot at a round: %v", err)
	}
	r := instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now})
	defer func() { _ = r.Close() }()
	if _, err := r.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "memory"}}); err != nil {
		t.Fatal(err)
	}
	_, err := r.Fork(t.Context(), &instance.ForkSpec{Source: "memory", At: &instance.Moment{Height: 1}})
	if refused, ok := errors.AsType[*instance.Refusal](err); !ok || refused.Reason != instance.NoHistory {
		t.Errorf("a fork of an instance that is not kept: %v", err)
	}
	memory, err := r.Instance("memory")
	if err != nil {
		t.Fatal(err)
	}
	_, err = memory.Mark(t.Context(), "one")
	if refused, ok := errors.AsType[*instance.Refusal](err); !ok || refused.Reason != instance.NoHistory {
		t.Errorf("a mark in an instance that is not kept: %v", err)
	}
}
