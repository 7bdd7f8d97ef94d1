package canister_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

// everything is a canister with state of every kind: heap, stable memory, globals, certified data.
const everything = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
	(import "ic0" "stable64_size" (func $size (result i64)))
	(import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
	(import "ic0" "stable64_read" (func $read (param i64 i64 i64)))
	(import "ic0" "certified_data_set" (func $certify (param i32 i32)))
	(import "ic0" "global_timer_set" (func $timer (param i64) (result i64)))
	(memory 2 100)
	(global $i (mut i32) (i32.const 0)) (global $l (mut i64) (i64.const 0)) (global $f (mut f32) (f32.const 0)) (global $d (mut f64) (f64.const 0))
	(global $v (mut v128) (v128.const i64x2 0 0)) (global $still (export "still") i32 (i32.const 42))
	(func (export "canister_update step")
		(global.set $i (i32.add (global.get $i) (i32.const 1)))
		(global.set $l (i64.add (global.get $l) (i64.const -3)))
		(global.set $f (f32.add (global.get $f) (f32.const 0.25)))
		(global.set $d (f64.add (global.get $d) (f64.const 0.125)))
		(global.set $v (i64x2.add (global.get $v) (v128.const i64x2 1 0x100000000000)))
		(i32.store (i32.const 100000) (global.get $i))
		(if (i32.lt_u (memory.size) (i32.const 5)) (then (drop (memory.grow (i32.const 1)))))
		(if (i64.lt_u (call $size) (i64.const 3)) (then (drop (call $grow (i64.const 1)))))
		(call $write (i64.const 65000) (i64.const 100000) (i64.const 4))
		(call $certify (i32.const 100000) (i32.const 4))
		(drop (call $timer (i64.const 1900000000000000000)))
		(call $reply))
	(func (export "canister_query look")
		(i32.store (i32.const 0) (global.get $i)) (i64.store (i32.const 8) (global.get $l)) (f32.store (i32.const 16) (global.get $f))
		(f64.store (i32.const 24) (global.get $d)) (v128.store (i32.const 32) (global.get $v)) (i32.store (i32.const 48) (memory.size))
		(i64.store (i32.const 56) (call $size)) (call $read (i64.const 64) (i64.const 65000) (i64.const 4))
		(call $append (i32.const 0) (i32.const 68)) (call $append (i32.const 100000) (i32.const 4)) (call $reply)))`

func steps(t testing.TB, p *canistertest.Place, c *canister.Canister, n int) {
	t.Helper()
	for range n {
		if out := p.Update(c, "step", nil); out.Failure != nil {
			t.Fatal(out.Failure)
		}
	}
}

func looks(t testing.TB, p *canistertest.Place, c *canister.Canister) []byte {
	t.Helper()
	out := p.Query(c, "look", nil)
	if out.Failure != nil {
		t.Fatal(out.Failure)
	}
	return out.Response.Reply
}

// load loads a snapshot into a canister.
func load(t testing.TB, p *canistertest.Place, c *canister.Canister, s *canister.Snapshot) {
	t.Helper()
	raw, err := s.Read(canister.ModulePart, 0, s.Size(canister.ModulePart))
	if err != nil {
		t.Fatal(err)
	}
	m := p.Module(raw)
	if !s.Matches(m) || !s.Fits(m) {
		t.Fatal("a snapshot does not go with its module")
	}
	want := c.UsageLoaded(s, m)
	if err := c.Load(s, m); err != nil {
		t.Fatal(err)
	}
	if got := c.MemoryUsage(); got != want {
		t.Errorf("the canister uses %+v, %+v was foretold", got, want)
	}
}

// copied is an upload of everything that can be read of a snapshot.
func copied(t testing.TB, p *canistertest.Place, s *canister.Snapshot) *canister.Snapshot {
	t.Helper()
	up, err := p.Engine.NewSnapshot(&canister.SnapshotMetadata{
		ModuleSize: s.Size(canister.ModulePart), HeapSize: s.Size(canister.HeapPart), Stable: s.Size(canister.StablePart),
		Certified: s.Certified, Globals: s.Globals, Timer: s.Timer, Hook: s.Hook,
	})
	if err != nil {
		t.Fatal(err)
	}
	for part := canister.ModulePart; part <= canister.StablePart; part++ {
		const most = 50_000
		for at := uint64(0); at < s.Size(part); at += most {
			b, err := s.Read(part, at, min(most, s.Size(part)-at))
			if err != nil {
				t.Fatal(err)
			}
			if err := up.Write(part, at, b); err != nil {
				t.Fatal(err)
			}
		}
	}
	return up
}

func TestASnapshotIsTheStateOfItsMoment(t *testing.T) {
	p := canistertest.NewPlace(t)
	before := p.Engine.InUse()
	c := p.Canister(p.Wat(everything), nil)
	var want [][]byte
	for i := range 4 {
		steps(t, p, c, 2)
		foretold := c.SnapshotBytes()
		s := c.Snapshot(0, 0)
		c.Snapshots.Add(s)
		if n := s.Bytes(); n != foretold {
			t.Errorf("snapshot %d has %d bytes, %d were foretold", i, n, foretold)
		}
		want = append(want, looks(t, p, c))
	}
	steps(t, p, c, 1)
	other := p.Canister(p.Module(canistertest.Scriptable()), nil)
	for _, i := range []int{2, 0, 3, 1, 2} {
		s := c.Snapshots.Get(uint64(i))
		up := copied(t, p, s)
		empty := p.Empty()
		for name, to := range map[string]*canister.Canister{"itself": c, "another": other, "an empty one": empty} {
			for what, from := range map[string]*canister.Snapshot{"taken": s, "uploaded": up} {
				load(t, p, to, from)
				if got := looks(t, p, to); !bytes.Equal(got, want[i]) {
					t.Errorf("snapshot %d, %s, loaded into %s: the canister says\n%x, want\n%x", i, what, name, got, want[i])
				}
				if !bytes.Equal(to.Certified, s.Certified) || s.Certified[0] != byte(2*i+2) {
					t.Errorf("snapshot %d loaded into %s: certified data %x", i, name, to.Certified)
				}
				steps(t, p, to, 1)
			}
		}
		up.Close()
		empty.Close()
	}
	c.Close()
	other.Close()
	if c.Snapshots.Len() != 0 || c.Module() != nil {
		t.Error("a closed canister has code or snapshots")
	}
	if n := p.Engine.InUse() - before; n != 0 {
		t.Errorf("%d bytes are still in use", n)
	}
}

func TestASnapshotOfABigHeapTakesNoGoMemory(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Wat(`(module (import "ic0" "msg_reply" (func $reply)) (memory 1024)
		(func (export "canister_update fill") (memory.fill (i32.const 0) (i32.const 1) (i32.const 67108864)) (call $reply))
		(func (export "canister_update touch") (memory.fill (i32.const 1000000) (i32.const 2) (i32.const 4096)) (call $reply)))`), nil)
	if out := p.Update(c, "fill", nil); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	other := p.Empty()
	before := goMemory()
	for range 10 {
		c.Snapshots.Add(c.Snapshot(0, 0))
		if out := p.Update(c, "touch", nil); out.Failure != nil {
			t.Fatal(out.Failure)
		}
	}
	s := c.Snapshots.Get(3)
	load(t, p, other, s)
	load(t, p, c, s)
	if grown := goMemory() - before; grown > 16<<20 {
		t.Errorf("ten snapshots of 64 MiB, two of them loaded, took %d MiB of Go memory", grown>>20)
	}
	if b, err := s.Read(canister.HeapPart, 999_999, 2); err != nil || !bytes.Equal(b, []byte{1, 2}) {
		t.Errorf("the heap of a snapshot reads %v, %v", b, err)
	}
	if got, want := c.Snapshots.Bytes(), 10*c.SnapshotBytes(); got != want {
		t.Errorf("ten snapshots are billed for %d bytes, want %d", got, want)
	}
}

// goMemory is all the memory there ever was.
func goMemory() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.TotalAlloc
}

func TestAMotokoActorGoesOnWhereItsSnapshotWasTaken(t *testing.T) {
	t.Parallel()
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Module(canistertest.Fixture("counter")), noArgument)
	count := func(c *canister.Canister, want byte) {
		t.Helper()
		if out := p.Update(c, "inc", noArgument); out.Failure != nil || !bytes.Equal(out.Response.Reply, nat(want)) {
			t.Fatalf("counting to %d: %+v", want, out)
		}
	}
	count(c, 1)
	count(c, 2)
	s := c.Snapshot(0, 0)
	defer s.Close()
	count(c, 3)
	up := copied(t, p, s)
	defer up.Close()
	other := p.Empty()
	for _, from := range []*canister.Snapshot{s, up} {
		load(t, p, c, from)
		load(t, p, other, from)
		for want := byte(3); want < 40; want++ {
			count(c, want)
			count(other, want)
		}
	}
}

func TestASnapshotGoesOnlyWithAModuleOfItsGlobals(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Wat(everything), nil)
	s := c.Snapshot(0, 0)
	defer s.Close()
	for _, text := range []string{
		`(module)`,
		`(module (memory 2) (global (export "a") (mut i32) (i32.const 0)) (global (mut i64) (i64.const 0)) (global (mut f32) (f32.const 0))
			(global (mut f64) (f64.const 0)) (global (mut v128) (v128.const i64x2 0 0)) (global (mut i64) (i64.const 0)))`,
	} {
		if s.Matches(p.Wat(text)) {
			t.Errorf("the snapshot matches %s", text)
		}
	}
	if s.Fits(p.Wat(`(module)`)) || s.Fits(p.Wat(`(module (memory 1 1))`)) {
		t.Error("two pages fit into none or one")
	}
}
