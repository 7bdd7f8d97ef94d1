package canister_test

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestAForkGoesItsOwnWay(t *testing.T) {
	p := canistertest.NewPlace(t)
	before := p.Engine.InUse()
	c := p.Canister(p.Wat(everything), nil)
	steps(t, p, c, 3)
	was := looks(t, p, c)
	f := c.Fork()
	if got := looks(t, p, f); !bytes.Equal(got, was) {
		t.Fatalf("the fork says\n%x, want\n%x", got, was)
	}
	if f.ID != c.ID || f.Version != c.Version || f.MemoryUsage() != c.MemoryUsage() || f.Balance != c.Balance {
		t.Error("the fork is another canister")
	}
	steps(t, p, c, 2)
	if got := looks(t, p, f); !bytes.Equal(got, was) {
		t.Errorf("the fork follows its source:\n%x, want\n%x", got, was)
	}
	steps(t, p, f, 2)
	if got, want := looks(t, p, f), looks(t, p, c); !bytes.Equal(got, want) {
		t.Errorf("after the same steps the fork says\n%x, its source\n%x", got, want)
	}
	c.Close()
	steps(t, p, f, 2)
	f.Close()
	if now := p.Engine.InUse(); now != before {
		t.Errorf("%d bytes of the checkpoint file are in use, %d were before", now, before)
	}
}

func TestAForkHasTheSnapshotsOfItsSource(t *testing.T) {
	p := canistertest.NewPlace(t)
	before := p.Engine.InUse()
	c := p.Canister(p.Wat(everything), nil)
	steps(t, p, c, 2)
	c.Snapshots.Add(c.Snapshot(0, 0))
	want := looks(t, p, c)
	up := copied(t, p, c.Snapshots.Get(0))
	c.Snapshots.Add(up)
	steps(t, p, c, 2)
	f := c.Fork()
	steps(t, p, f, 1)
	if err := up.Write(canister.HeapPart, 100_000, []byte{0xff}); err != nil {
		t.Fatal(err)
	}
	if err := up.Write(canister.StablePart, 65_000, []byte{0xff}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	for number := range uint64(2) {
		load(t, p, f, f.Snapshots.Get(number))
		if got := looks(t, p, f); !bytes.Equal(got, want) {
			t.Errorf("snapshot %d of the fork says\n%x, want\n%x", number, got, want)
		}
	}
	f.Close()
	if now := p.Engine.InUse(); now != before {
		t.Errorf("%d bytes of the checkpoint file are in use, %d were before", now, before)
	}
}

func TestAForkHasChunksLogsAndHistoryOfItsOwn(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Wat(`(module (import "ic0" "debug_print" (func $print (param i32 i32))) (import "ic0" "msg_reply" (func $reply)) (memory 1)
		(func (export "canister_update say") (call $print (i32.const 0) (i32.const 8)) (call $reply)))`), nil)
	say := func(c *canister.Canister, n int) {
		for range n {
			if out := p.Update(c, "say", nil); out.Failure != nil {
				t.Fatal(out.Failure)
			}
		}
	}
	say(c, 3)
	if err := c.Chunks.Put(p.Engine, []byte("first")); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(canister.MaxHistory) {
		c.History.Add(canister.Change{Version: i})
	}
	f := c.Fork()
	logs, hashes, history := c.Logs.Len(), c.Chunks.Hashes(), slices.Clone(c.History.Changes())
	say(c, 500)
	if err := c.Chunks.Put(p.Engine, []byte("second")); err != nil {
		t.Fatal(err)
	}
	c.History.Add(canister.Change{Version: 100})
	if f.Logs.Len() != logs || f.Logs.At(0).Index != 0 || f.Logs.Next() != uint64(logs) {
		t.Errorf("the fork has %d log records from %d on, want %d", f.Logs.Len(), f.Logs.At(0).Index, logs)
	}
	if !slices.Equal(f.Chunks.Hashes(), hashes) || c.Chunks.Len() != 2 {
		t.Errorf("the fork has %d chunks, its source %d, want 1 and 2", f.Chunks.Len(), c.Chunks.Len())
	}
	c.Chunks.Clear()
	if first, err := f.Chunks.Get(hashes[0]); err != nil || string(first) != "first" || c.Chunks.Has(hashes[0]) {
		t.Errorf("after the source has cleared its chunks, that of the fork is %q, %v", first, err)
	}
	if !slices.Equal(f.History.Changes(), history) {
		t.Error("the history of the fork is not the history at the time of the fork")
	}
	say(f, 1)
	f.History.Add(canister.Change{Version: 200})
	if last := c.History.Changes()[canister.MaxHistory-1]; last.Version != 100 {
		t.Errorf("the last change of the source has version %d, want 100", last.Version)
	}
}

func TestForksRunSideBySide(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Wat(everything), nil)
	steps(t, p, c, 1)
	forks := []*canister.Canister{c}
	for i := range 7 {
		forks = append(forks, forks[i/2].Fork())
	}
	var all sync.WaitGroup
	for _, f := range forks {
		all.Go(func() {
			for i := range 30 {
				steps(t, p, f, 1)
				if i%10 == 5 {
					g := f.Fork()
					steps(t, p, g, 2)
					g.Close()
				}
				looks(t, p, f)
			}
		})
	}
	all.Wait()
	want := looks(t, p, c)
	for i, f := range forks {
		if got := looks(t, p, f); !bytes.Equal(got, want) {
			t.Errorf("fork %d says\n%x, want\n%x", i, got, want)
		}
	}
}
