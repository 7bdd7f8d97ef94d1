package canister_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestCanistersThatWereEvictedGoOnWhereTheyWere(t *testing.T) {
	now := int64(0)
	stopwatch := func() int64 { now += 500; return now }
	engine, err := canister.NewEngine(canister.EngineConfig{MaxResident: 2, Stopwatch: stopwatch})
	if err != nil {
		t.Fatal(err)
	}
	place := *canistertest.NewPlace(t)
	p := &place
	p.Engine = engine
	m := p.Module(canistertest.Scriptable())
	var all []*canister.Canister
	for range 10 {
		all = append(all, p.Canister(m, canistertest.Script().StableGrow(1).Drop().Bytes()))
	}
	for round := range byte(5) {
		for i, c := range all {
			reply(t, p.Run(c, canistertest.Script().Count(uint64(i)).HeapWrite(0, []byte{round, byte(i)}).StableWrite(0, []byte{round, byte(i)}).Reply(nil)))
			p.Run(c, canistertest.Script().HeapWrite(0, []byte("lost")).Trap("x"))
		}
		for i, c := range all {
			read := canistertest.Script().HeapRead(0, 2).Append().StableRead(0, 2).Append().Get().ReplyInt()
			want := []byte{round, byte(i), round, byte(i), (round + 1) * byte(i), 0, 0, 0, 0, 0, 0, 0}
			if got := reply(t, p.Query(c, "query", read.Bytes())); !bytes.Equal(got, want) {
				t.Fatalf("canister %d has %v in round %d, want %v", i, got, round, want)
			}
		}
	}
	commits := uint64(len(all) + 5*len(all)) // of installations, and of messages that did not trap
	if got := engine.Statistics(); got.Resident > 2 || got.MaxResident != 2 || got.Evictions < 8 || got.Commits.Counts[0] != commits || got.Commits.Sum != int64(500*commits) {
		t.Errorf("after %d commits with room for 2 resident canisters of 10 the statistics are %+v", commits, got)
	}
	for _, c := range all {
		c.Close()
	}
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}

func TestAModuleIsPreparedOnceForAllEnginesOfAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	actor := fixture(t, "counter.wasm")
	var cost uint64
	for range 3 {
		engine, err := canister.NewEngine(canister.EngineConfig{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		place := *canistertest.NewPlace(t)
		place.Engine = engine
		m := place.Module(actor)
		if cost != 0 && m.InstructionCost() != cost {
			t.Errorf("from the cache it costs %d, before %d", m.InstructionCost(), cost)
		}
		cost = m.InstructionCost()
		c := place.Canister(m, noArgument)
		if got := reply(t, place.Update(c, "inc", noArgument)); string(got) != string(nat(1)) {
			t.Errorf("the reply is %q", got)
		}
		if out := place.Update(c, "add", nil); out.Failure == nil {
			t.Error("it does not trap")
		}
		if log := string(c.Logs.At(0).Content); !strings.Contains(log, "parse_idl_header") {
			t.Errorf("the functions have lost their names: %s", log)
		}
		c.Close()
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	}
}
