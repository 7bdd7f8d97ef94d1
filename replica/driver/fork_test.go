package driver_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
)

// forked is a driver that goes on from the present of another.
func (r *running) forked(config driver.Config) *running {
	r.t.Helper()
	f, err := r.Fork(r.t.Context(), config)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := f.Close(); err != nil {
			r.t.Error(err)
		}
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	return &running{Driver: f, t: r.t, sent: r.sent + 20}
}

func (r *running) hash() (hash [32]byte) {
	r.t.Helper()
	if err := r.Do(r.t.Context(), func(n *replica.Network) { hash = n.RootHash() }); err != nil {
		r.t.Fatal(err)
	}
	return hash
}

var count = string(canistertest.Script().Count(1).Get().ReplyInt().Bytes())

func TestANodeAndItsForkGoTheirOwnWaysAtOnce(t *testing.T) {
	r := wasm(t, 3)
	r.must(0, "run", count)
	forks := []*running{r}
	for i := range 5 {
		forks = append(forks, forks[i/2].forked(driver.Config{Workers: 2}))
	}
	var all sync.WaitGroup
	for i, f := range forks {
		all.Go(func() {
			for range 20 + i {
				if _, err := f.call(t.Context(), 0, "run", count); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i, f := range forks {
		if got, want := []byte(f.must(0, "run", count))[0], byte(22+i); got != want {
			t.Errorf("fork %d has counted to %d, want %d", i, got, want)
		}
	}
}

func TestAForkGoesOnWithALoopThatItsSourceIsInTheMiddleOf(t *testing.T) {
	r := wasm(t, 2)
	loop := r.message(0, "run", string(canistertest.Script().Busy(30_000_000).ReplyText("over").Bytes()))
	if _, err := r.Submit(t.Context(), loop); err != nil {
		t.Fatal(err)
	}
	var forks []*running
	for range 3 {
		forks = append(forks, r.forked(driver.Config{}))
	}
	subnet := r.View().Root().ID
	for _, f := range append(forks, r) {
		if err := f.Await(t.Context(), subnet, loop.ID); err != nil {
			t.Fatal(err)
		}
	}
	want := r.hash()
	for i, f := range forks {
		if f.hash() != want {
			t.Errorf("fork %d is not what its source is", i)
		}
	}
}

func TestAForkInModeManualStandsStill(t *testing.T) {
	r := wasm(t, 1)
	loop := r.message(0, "run", string(canistertest.Script().Busy(20_000_000).ReplyText("over").Bytes()))
	if err := r.SetMode(t.Context(), driver.Manual, false); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Submit(t.Context(), loop); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := r.forked(driver.Config{Mode: driver.Manual})
	before := f.hash()
	if _, err := r.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.hash() != before || r.hash() == before {
		t.Error("the fork has moved")
	}
	if err := f.SetMode(t.Context(), driver.Auto, false); err != nil {
		t.Fatal(err)
	}
	if err := f.Await(t.Context(), f.View().Root().ID, loop.ID); err != nil {
		t.Error(err)
	}
}

func TestAForkOfABusyNodeGoesOnUnasked(t *testing.T) {
	r := wasm(t, 1)
	if err := r.SetMode(t.Context(), driver.Manual, false); err != nil {
		t.Fatal(err)
	}
	in := r.message(0, "run", count)
	if _, err := r.Submit(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	f := r.forked(driver.Config{})
	if err := f.Await(t.Context(), f.View().Root().ID, in.ID); err != nil {
		t.Error(err)
	}
}

func TestRestoreTakesBackWhatCameAfterTheSnapshot(t *testing.T) {
	r := wasm(t, 2)
	r.must(0, "run", count)
	snapshot, err := r.Snapshot(t.Context(), replica.ForkConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	before, height := r.hash(), r.View().Height
	for range 3 {
		for range 4 {
			r.must(0, "run", count)
		}
		if err := r.Restore(t.Context(), snapshot); err != nil {
			t.Fatal(err)
		}
		if r.hash() != before || r.View().Height != height {
			t.Error("the state is not that of the snapshot")
		}
		if got := r.must(0, "run", count)[0]; got != 2 {
			t.Errorf("after the restore the count is %d, want 2", got)
		}
	}
	f := r.forked(driver.Config{})
	f.must(0, "run", count)
	if err := r.RestoreFrom(t.Context(), f.Driver); err != nil {
		t.Fatal(err)
	}
	if r.hash() != f.hash() {
		t.Error("the state is not that of the other driver")
	}
}

func TestThoseWhoWaitForAnUnknownMessageLearnThatTheNodeWasRestored(t *testing.T) {
	r := wasm(t, 2)
	known := r.message(1, "run", string(canistertest.Script().Busy(100_000_000).ReplyText("over").Bytes()))
	if _, err := r.Submit(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	snapshot, err := r.Snapshot(t.Context(), replica.ForkConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	unknown := r.message(0, "run", string(canistertest.Script().Busy(3_000_000_000).ReplyText("over").Bytes()))
	if _, err := r.Submit(t.Context(), unknown); err != nil {
		t.Fatal(err)
	}
	subnet := r.View().Root().ID
	await := func(in *replica.Ingress) <-chan error {
		told := make(chan error, 1)
		go func() { told <- r.Await(context.Background(), subnet, in.ID) }()
		return told
	}
	one, two := await(known), await(unknown)
	for r.Waiters() < 2 {
	}
	if err := r.Restore(t.Context(), snapshot); err != nil {
		t.Fatal(err)
	}
	if err := <-two; !errors.Is(err, driver.ErrRestored) {
		t.Errorf("who waits for a message that is unknown now gets %v", err)
	}
	if err := <-one; err != nil {
		t.Errorf("who waits for a message that both know gets %v", err)
	}
}

func TestQueriesEndOnTheStateTheyBeganOn(t *testing.T) {
	r := wasm(t, 2)
	snapshot, err := r.Snapshot(t.Context(), replica.ForkConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	nested := canistertest.Script().Busy(2_000_000).Call(canistertest.Call{
		Callee: id(1), Method: "query", Program: canistertest.Script().Busy(2_000_000).ReplyText("there"), OnReply: canistertest.Script().Arg().ReplyTop(),
	})
	var all sync.WaitGroup
	for _, method := range []string{"query", "ask"} {
		for range 4 {
			all.Go(func() {
				program := canistertest.Script().Busy(4_000_000).ReplyText("there")
				if method == "ask" {
					program = nested
				}
				for range 3 {
					result, err := r.Query(t.Context(), &replica.Query{Receiver: id(0), Effective: id(0), Method: method, Arg: program.Bytes()})
					if err != nil || string(result.Reply) != "there" {
						t.Errorf("%s: %q, %v, %v", method, result.Reply, result.Reject, err)
					}
				}
			})
		}
	}
	for range 20 {
		if err := r.Restore(t.Context(), snapshot); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
}

func TestASnapshotOfAnotherEngineIsRefused(t *testing.T) {
	r, other := wasm(t, 1), wasm(t, 1)
	if err := r.RestoreFrom(t.Context(), other.Driver); !errors.Is(err, driver.ErrForeign) {
		t.Errorf("got %v", err)
	}
}

func TestAClosedNodeIsNeitherForkedNorRestored(t *testing.T) {
	r := wasm(t, 1)
	snapshot, err := r.Snapshot(t.Context(), replica.ForkConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Fork(t.Context(), driver.Config{}); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("a fork: %v", err)
	}
	if err := r.Restore(t.Context(), snapshot); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("a restore: %v", err)
	}
	f := driver.Wake(snapshot.Fork(replica.ForkConfig{}), driver.Config{})
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestNodesAreForkedRestoredAndClosedInAnyOrder(t *testing.T) {
	r := wasm(t, 3)
	drivers := []*running{r}
	var all sync.WaitGroup
	for round := range 4 {
		for i, n := range drivers {
			all.Go(func() {
				for c := range 3 {
					program := canistertest.Script().Count(1).Call(canistertest.Call{Callee: id((c + 1) % 3), Program: canistertest.Script().Busy(uint64(1_000_000 * i)).ReplyText("x")}).ReplyText("y")
					if _, err := n.call(t.Context(), c, "run", string(program.Bytes())); err != nil && !errors.Is(err, driver.ErrRestored) && !errors.Is(err, driver.ErrUnknown) {
						t.Error(fmt.Errorf("driver %d: %w", i, err))
					}
				}
			})
		}
		f := drivers[round/2].forked(driver.Config{Workers: 2})
		if round > 1 {
			if err := drivers[1].RestoreFrom(t.Context(), f.Driver); err != nil {
				t.Error(err)
			}
		}
		all.Wait()
		drivers = append(drivers, f)
	}
	if err := drivers[0].Close(); err != nil {
		t.Error(err)
	}
	drivers[2].must(0, "run", count)
}
