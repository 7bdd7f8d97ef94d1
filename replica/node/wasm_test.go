package node_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
	"github.com/canisterd/canisterd/replica/replicatest"
)

// wasm starts a node with canisters that run scripts in Wasm.
func wasm(t testing.TB, canisters int) *running {
	t.Helper()
	n, err := node.Start(node.Config{Workers: 2, Network: replicatest.WithManager(replica.Config{
		Start: replicatest.Start, Subnets: []replica.SubnetConfig{{}}, Engine: canistertest.NewEngine(t),
	}, canistertest.Scriptable())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &running{Node: n, t: t}
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

// endlessQueries keeps a number of queries of canister 0 under way that never end, each of a
// sender of its own, until stop is called, which returns when all have ended.
func endlessQueries(r *running, queries int) (stop func()) {
	ctx, cancel := context.WithCancel(r.t.Context())
	var running sync.WaitGroup
	for i := range queries {
		running.Go(func() {
			for ctx.Err() == nil {
				r.Query(ctx, &replica.Query{Receiver: id(0), Effective: id(0), Sender: principal.Canister(uint64(i)), Method: "query", Arg: canistertest.Script().Busy(4_900_000_000).ReplyText("x").Bytes()})
			}
		})
	}
	return func() {
		cancel()
		running.Wait()
	}
}

func TestEndlessQueriesOfACanisterDelayOthersByATurnOnly(t *testing.T) {
	r := wasm(t, 2)
	stop := endlessQueries(r, 32)
	defer stop()
	time.Sleep(100 * time.Millisecond) // they have begun, and wait for each other
	for n := range 2 {
		longest := time.Duration(0)
		for range 10 {
			begin := time.Now()
			result, err := r.Query(t.Context(), &replica.Query{Receiver: id(n), Effective: id(n), Method: "query", Arg: canistertest.Script().ReplyText("quick").Bytes()})
			if err != nil || string(result.Reply) != "quick" {
				t.Fatalf("got %q, %v, %v", result.Reply, result.Reject, err)
			}
			longest = max(longest, time.Since(begin))
		}
		t.Logf("a query of canister %d waits %s at most", n, longest)
		if longest > time.Second {
			t.Errorf("a query of canister %d waited %s for queries that never end", n, longest)
		}
	}
}

func TestQueriesOfClientsThatGoAwayEndAfterTheirSlice(t *testing.T) {
	r := wasm(t, 2)
	stop := endlessQueries(r, 32)
	time.Sleep(50 * time.Millisecond)
	begin := time.Now()
	stop()
	if err := r.Close(); err != nil { // waits for queries that have begun
		t.Error(err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("32 queries that never end took %s to end after their clients had gone", took)
	}
}

func TestAnInstanceThatIsClosedEndsItsQueries(t *testing.T) {
	r := wasm(t, 2)
	defer endlessQueries(r, 8)()
	time.Sleep(50 * time.Millisecond)
	begin := time.Now()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("closing took %s", took)
	}
}
