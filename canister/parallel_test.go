package canister_test

import (
	"runtime"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestCanistersRunInParallelAndQueriesBesideThem(t *testing.T) {
	p := canistertest.NewPlace(t)
	const rounds = 50
	var all []*canister.Canister
	for range 8 {
		all = append(all, p.Scriptable())
	}
	for range rounds {
		var wait sync.WaitGroup
		for _, c := range all {
			q, reject := c.PrepareQuery()
			if reject != nil {
				t.Fatal(reject)
			}
			before := c.Version
			wait.Go(func() {
				if out := p.Run(c, canistertest.Script().Count(1).Print("x").Reply(nil)); out.Failure != nil {
					t.Error(out.Failure)
				}
			})
			wait.Go(func() {
				out := q.Run(&p.Subnet, &canister.Message{Context: canister.Query, Method: "query", Payload: canistertest.Script().Version().ToBlob().Append().Get().ReplyInt().Bytes()})
				if out.Failure != nil {
					t.Error(out.Failure)
				} else if got := out.Response.Reply; uint64(got[0]) != before || uint64(got[8]) != before-1 {
					t.Errorf("a query prepared at version %d saw version %d and %d messages", before, got[0], got[8])
				}
				q.Release()
			})
		}
		wait.Wait()
	}
	for _, c := range all {
		if n := number(t, p.Run(c, canistertest.Script().Get().ReplyInt())); n != rounds {
			t.Errorf("a canister counted to %d", n)
		}
	}
}

func TestTheSameMessagesLeadToTheSameState(t *testing.T) {
	history := func() (states []fingerprint, instructions uint64) {
		p := canistertest.NewPlace(t)
		c := prepared(t, p)
		for _, program := range []*canistertest.Program{change().Reply(nil), change().Trap("x"), canistertest.Script().Count(3).Reply(nil)} {
			instructions += p.Run(c, program).Instructions
			states = append(states, take(t, p, c))
		}
		return states, instructions
	}
	first, n := history()
	second, m := history()
	for i := range first {
		if first[i] != second[i] {
			t.Errorf("after message %d: %+v and %+v", i, first[i], second[i])
		}
	}
	if n != m {
		t.Errorf("%d and %d instructions", n, m)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	engine, err := canister.NewEngine(canister.EngineConfig{CacheDir: t.TempDir(), HeapDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	base := canistertest.NewPlace(t)
	p := *base
	p.Engine = engine
	churn := func() {
		m, reject := engine.Prepare(t.Context(), canistertest.Scriptable())
		if reject != nil {
			t.Fatal(reject)
		}
		c := canister.New(canistertest.User, 0, canister.DefaultSettings())
		c.Balance = base.Empty().Balance
		for _, mode := range []canister.InstallMode{canister.InstallFresh, canister.Upgrade, canister.Reinstall} {
			if out := install(&p, c, canister.Install{Mode: mode, Module: m}); out.Failure != nil {
				t.Fatal(out.Failure)
			}
		}
		install(&p, c, canister.Install{Mode: canister.Upgrade, Module: m, Arg: canistertest.Script().StableGrow(10).Trap("x").Bytes()})
		p.Run(c, canistertest.Script().StableGrow(100).StableWrite(0, make([]byte, 100_000)).Grow(10).Reply(nil))
		p.Query(c, "query", canistertest.Script().Reply(nil).Bytes())
		c.Close()
	}
	for range 20 {
		churn()
	}
	before := heapInUse()
	for range 200 {
		churn()
	}
	if grown := int64(heapInUse()) - int64(before); grown > 4<<20 {
		t.Errorf("200 canisters that came and went left %d bytes", grown)
	}
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
