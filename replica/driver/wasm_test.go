package driver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// wasm starts a driver with canisters that run scripts in Wasm.
func wasm(t testing.TB, canisters int) *running {
	t.Helper()
	d, err := driver.Start(driver.Config{Workers: 2, Network: replicatest.WithManager(replica.Config{
		Start: replicatest.Start, Subnets: []replica.SubnetConfig{{}}, Engine: canistertest.NewEngine(t),
	}, canistertest.Scriptable())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &running{Driver: d, t: t}
	for n := range canisters {
		r.must(n, "create", "1000000000000000")
		r.must(n, "install", fmt.Sprintf("%d ", n))
	}
	return r
}

func TestAWasmCanisterInAnEndlessLoopDelaysNeitherTheOthersNorGarbageCollection(t *testing.T) {
	r := wasm(t, 2)
	loop := r.message(0, "run", string(canistertest.Script().Busy(35_000_000_000).ReplyText("over").Bytes()))
	if _, err := r.Submit(t.Context(), loop); err != nil {
		t.Fatal(err)
	}
	quick := canistertest.Script().ReplyText("quick").Bytes()
	for range 10 {
		if got := r.must(1, "run", string(quick)); got != "quick" {
			t.Fatalf("got %q", got)
		}
		runtime.GC()
		result, err := r.Query(t.Context(), &replica.Query{Receiver: id(1), Effective: id(1), Method: "query", Arg: quick})
		if err != nil || !bytes.Equal(result.Reply, []byte("quick")) {
			t.Fatalf("query: %q, %v, %v", result.Reply, result.Reject, err)
		}
	}
	var status replica.Status
	r.Do(t.Context(), func(n *replica.Network) { status = n.IngressStatus(n.View().Root().ID, loop.ID) })
	if status != replica.Processing {
		t.Errorf("the loop is %s: it was meant to outlast the others", status)
	}
}

func TestACompositeQueryRunsOffTheOwnersGoroutine(t *testing.T) {
	r := wasm(t, 2)
	program := canistertest.Script().Call(canistertest.Call{
		Callee: id(1), Method: "query", Program: canistertest.Script().ReplyText("there"), OnReply: canistertest.Script().Arg().ReplyTop(),
	})
	result, err := r.Query(t.Context(), &replica.Query{Receiver: id(0), Effective: id(0), Method: "ask", Arg: program.Bytes()})
	if err != nil || string(result.Reply) != "there" {
		t.Errorf("got %q, %v, %v", result.Reply, result.Reject, err)
	}
}

func TestQueriesOfClientsThatGoAwayAreGivenBack(t *testing.T) {
	r := wasm(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		r.Query(ctx, &replica.Query{Receiver: id(0), Effective: id(0), Method: "query", Arg: canistertest.Script().ReplyText("x").Bytes()})
	}
	if _, err := r.Query(t.Context(), &replica.Query{Receiver: id(0), Effective: id(0), Method: "query", Arg: canistertest.Script().ReplyText("x").Bytes()}); err != nil {
		t.Error(err)
	}
}

// A canister that sets its timer into the past whenever it fires would otherwise
// make rounds without end.
func TestATimerSetIntoThePastFiresWhenTimeMovesAndNotBefore(t *testing.T) {
	r := wasm(t, 1)
	again := canistertest.Script().Timer(1).Drop()
	r.must(0, "run", string(canistertest.Script().Hook(canistertest.HookTimer, again).Timer(1).Drop().ReplyText("set").Bytes()))
	idle := func() uint64 {
		for range 20 {
			if err := r.Do(t.Context(), func(*replica.Network) {}); err != nil {
				t.Fatal(err)
			}
		}
		return r.View().Height
	}
	for n := range uint64(5) {
		before := idle()
		if after := idle(); after != before {
			t.Fatalf("without a request and while time stands still %d rounds are run", after-before)
		}
		if err := r.AdvanceTo(t.Context(), replicatest.Start+(n+1)*1_000_000_000); err != nil {
			t.Fatal(err)
		}
		if after := idle(); after != before+1 {
			t.Fatalf("when time moves %d rounds are run, want 1", after-before)
		}
	}
}

func TestQueriesAreCountedInTheRoundAfterThem(t *testing.T) {
	r := wasm(t, 2)
	nested := canistertest.Script().Call(canistertest.Call{
		Callee: id(1), Method: "query", Program: canistertest.Script().ReplyText("there"), OnReply: canistertest.Script().Arg().ReplyTop(),
	})
	for _, q := range []*replica.Query{
		{Receiver: id(0), Effective: id(0), Method: "ask", Arg: nested.Bytes()},
		{Receiver: id(1), Effective: id(1), Method: "query", Arg: canistertest.Script().ReplyText("x").Bytes()},
	} {
		if result, err := r.Query(t.Context(), q); err != nil || result.Reject != nil {
			t.Fatal(err, result.Reject)
		}
	}
	calls := func() (counted [2]uint64) {
		if err := r.Do(t.Context(), func(n *replica.Network) {
			for i := range counted {
				counted[i] = n.Canister(id(i)).Queries.Calls
			}
		}); err != nil {
			t.Fatal(err)
		}
		return counted
	}
	before := calls()
	if _, err := r.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := calls(); before != [2]uint64{} || after != [2]uint64{1, 2} {
		t.Errorf("counted %v before the round, %v after it", before, after)
	}
}

// turns is what a test has seen of the turns of queries.
type turns struct {
	mu     sync.Mutex
	slices map[any]int    // ends of slices of each query
	late   map[any]int    // of them those after it was gone
	waited map[any]uint64 // the longest wait of a sender for a slot, in turns of others
	taken  chan struct{}  // closed when some of the queries take turns and all have had one
}

// watchTurns watches a number of endless queries of canister 0.
func watchTurns(r *running, queries int) *turns {
	all := &turns{slices: make(map[any]int), late: make(map[any]int), waited: make(map[any]uint64), taken: make(chan struct{})}
	most, taken := 0, false // slices of one query; whether all.taken is closed
	r.WatchTurns(func(turn driver.Turn) {
		all.mu.Lock()
		defer all.mu.Unlock()
		if turn.Granted {
			all.waited[turn.Sender] = max(all.waited[turn.Sender], turn.Waited)
			return
		}
		if all.slices[turn.Query]++; turn.Gone {
			all.late[turn.Query]++
		}
		most = max(most, all.slices[turn.Query])
		if !taken && len(all.slices) >= queries && most >= 10 {
			taken = true
			close(all.taken)
		}
	})
	return all
}

// checkLate checks that no query ran on for longer than the slice in which it was gone.
func (all *turns) checkLate(t *testing.T) {
	t.Helper()
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, slices := range all.late {
		if slices > 1 {
			t.Errorf("a query that nobody wants ran for %d slices", slices)
		}
	}
}

// endlessQueries keeps a number of queries of canister 0 under way that never end, each of a
// sender of its own, until stop is called, which returns when all have ended. They take turns when
// it returns.
func endlessQueries(r *running, queries int) (seen *turns, stop func()) {
	r.t.Helper()
	seen = watchTurns(r, queries)
	ctx, cancel := context.WithCancel(r.t.Context())
	var running sync.WaitGroup
	for i := range queries {
		running.Go(func() {
			for ctx.Err() == nil {
				_, err := r.Query(ctx, &replica.Query{Receiver: id(0), Effective: id(0), Sender: principal.Canister(uint64(i)), Method: "query", Arg: canistertest.Script().Busy(4_900_000_000).ReplyText("x").Bytes()})
				if errors.Is(err, driver.ErrClosed) {
					return
				}
			}
		})
	}
	eventually.Receive(r.t, "queries take turns", seen.taken)
	return seen, func() {
		cancel()
		running.Wait()
	}
}

func TestEndlessQueriesOfACanisterDelayOthersByATurnOnly(t *testing.T) {
	const endless = 32
	r := wasm(t, 2)
	seen, stop := endlessQueries(r, endless)
	defer stop()
	for n, most := range []uint64{endless, 4} { // a turn of each sender, and of each canister in each slot
		sender := principal.Canister(uint64(1000 + n))
		for range 10 {
			result, err := r.Query(t.Context(), &replica.Query{Receiver: id(n), Effective: id(n), Sender: sender, Method: "query", Arg: canistertest.Script().ReplyText("quick").Bytes()})
			if err != nil || string(result.Reply) != "quick" {
				t.Fatalf("got %q, %v, %v", result.Reply, result.Reject, err)
			}
		}
		seen.mu.Lock()
		waited := seen.waited[sender]
		seen.mu.Unlock()
		t.Logf("a query of canister %d waits for %d turns at most", n, waited)
		if waited > most {
			t.Errorf("a query of canister %d waited for %d turns of queries that never end, want at most %d", n, waited, most)
		}
	}
}

func TestQueriesOfClientsThatGoAwayEndAfterTheirSlice(t *testing.T) {
	r := wasm(t, 2)
	seen, stop := endlessQueries(r, 32)
	stop()
	if err := r.Close(); err != nil { // waits for queries that have begun
		t.Error(err)
	}
	seen.checkLate(t)
}

func TestAnInstanceThatIsClosedEndsItsQueries(t *testing.T) {
	r := wasm(t, 2)
	seen, stop := endlessQueries(r, 8)
	defer stop()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	seen.checkLate(t)
}
