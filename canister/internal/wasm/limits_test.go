package wasm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// The numbers of limits.go are written out here: a test that used the constants would
// agree with any number.

func TestGuestsInTheMiddleOfAMessageAreLiveBeyondTheMostByAFixedNumber(t *testing.T) {
	e := newTestEngine(t, Config{})
	busy := &Guest{engine: e}
	busy.residency.Lock()
	for residents, want := range map[int]string{
		20_095: "",
		20_096: "20096 guests are in the middle of a message, 4096 more than may be resident: finish some of them",
	} {
		e.resident = slices.Repeat([]*Guest{busy}, residents)
		got := ""
		if err := e.makeRoom(); err != nil {
			got = err.Error()
		}
		e.resident = nil
		if got != want {
			t.Errorf("where %d guests are in a message, one more gets %q, want %q", residents, got, want)
		}
	}
}

func TestGuestsAreEvictedWhereAllMappingsAreInUse(t *testing.T) {
	e := newTestEngine(t, Config{})
	newTestGuest(t, e, counter)
	before := e.heaps.mappings.Load()
	for _, c := range []struct {
		mappings int64
		resident int
	}{{44_999, 1}, {45_000, 0}} {
		e.heaps.mappings.Store(c.mappings)
		if err := e.makeRoom(); err != nil {
			t.Fatal(err)
		}
		if n := e.Resident(); n != c.resident {
			t.Errorf("with %d mappings %d guests are resident, want %d", c.mappings, n, c.resident)
		}
		e.heaps.mappings.Store(before)
	}
}

func TestASliceHasADefaultAndALargestSize(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), spinner)
	for slice, want := range map[uint64]uint64{0: 2_000_000, 4_999_000: 4_999_000, 1 << 40: 5_000_000} {
		var at uint64
		err := g.Run(method("forever"), nil, Budget{Limit: 1e9, Slice: slice, Pause: func(progress uint64) {
			at = progress
			g.End(errStop)
		}})
		if !errors.Is(err, errStop) || at <= want || at > want+2 {
			t.Errorf("with slices of %d the message pauses after %d instructions, want %d: %v", slice, at, want, err)
		}
		g.Rollback()
	}
}

// faulting is a heap with a number of page faults in each part of a slice.
type faulting struct {
	heap
	faults int64
}

func (f *faulting) faulted() int64 { return f.faults }

func TestAHundredPageFaultsAreFewAndOneMoreAreMany(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), strings.Replace(spinner, "(memory 1)", "(memory 257)", 1))
	for faults, want := range map[int64]uint64{100: 10_000, 101: 5_000} {
		g.begin()
		whole := g.resident.heap
		g.resident.heap = &faulting{whole, faults}
		run(t, g, "some") // between 5,000 and 10,000 instructions
		g.resident.heap = whole
		if g.part != want {
			t.Errorf("after %d page faults %d instructions are granted at a time, want %d", faults, g.part, want)
		}
		g.Rollback()
	}
}

func TestAHeapOf16MiBIsGrantedMoreAtATimeThanALargerOne(t *testing.T) {
	for pages, want := range map[string]uint64{"256": 200_000, "257": 50_000} {
		g := newTestGuest(t, newTestEngine(t, Config{}), `(module (memory `+pages+`)
			(func (export "canister_update spin") (local $i i32)
				(loop (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000000))))))`)
		run(t, g, "spin")
		if g.part != want {
			t.Errorf("a heap of %s pages is granted %d instructions at a time, want %d", pages, g.part, want)
		}
	}
}

func TestAHeapThatGrowsBeyond16MiBHasOnlyTheLeastPartLeft(t *testing.T) {
	for pages, want := range map[string]int64{"255": 200_000, "256": 5_000} {
		g := newTestGuest(t, newTestEngine(t, Config{}), `(module (import "ic0" "block" (func $block)) (memory 1)
			(func (export "canister_update grow") (drop (memory.grow (i32.const `+pages+`))) (call $block)))`)
		var left int64
		host := &testHost{block: func() { left = g.left() }}
		if err := g.Run(method("grow"), host, plenty); err != nil {
			t.Fatal(err)
		}
		if left > want || left < want-1_000 {
			t.Errorf("a heap that grew by %s pages has %d instructions left, want some less than %d", pages, left, want)
		}
		if n := g.Executed(); n > 1_000 {
			t.Errorf("it executed %d instructions", n)
		}
	}
}

func TestAResidentGuestKeepsFourFunctionObjects(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), counter)
	first := func() (kept bool) {
		g.begin()
		for _, f := range g.resident.functions {
			kept = kept || f.name == "canister_update inc" && f.call != nil
		}
		return kept
	}
	for i, name := range []string{"inc", "heap", "global", "size", "grow"} {
		run(t, g, name)
		if got, want := first(), i < 4; got != want {
			t.Errorf("after %d functions ran, the object of the first is kept: %v, want %v", i+1, got, want)
		}
	}
	g.Rollback()
}

func TestAFunctionObjectIsKeptWithAStackOf128KiBAtMost(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), counter)
	for size, want := range map[int]bool{128 << 10: true, 128<<10 + 1: false} {
		g.begin()
		stack := make([]byte, size)
		g.resident.find("canister_update inc").stack = &stack
		run(t, g, "inc")
		kept := slices.ContainsFunc(g.resident.functions[:], func(f function) bool { return f.call != nil })
		if kept != want {
			t.Errorf("a function object with a stack of %d bytes is kept: %v, want %v", size, kept, want)
		}
		g.Rollback()
	}
}

// numbered is a module with a hash and a binary of its own.
func numbered(n, size int, zeros []byte) *rewrite.Module {
	m := &rewrite.Module{Binary: zeros[:size]}
	binary.LittleEndian.PutUint64(m.BinaryHash[:], uint64(n))
	return m
}

func TestTheCachesOfModulesHaveANumberAndASize(t *testing.T) {
	zeros := make([]byte, 64<<20)
	inMemory := func(sizes []int) (kept int, first bool) {
		c := newModuleCache()
		for i, size := range sizes {
			m := numbered(i, size, zeros)
			c.add(m.BinaryHash, m)
		}
		_, first = c.byHash[[32]byte{}]
		return c.order.Len(), first
	}
	compiled := func(sizes []int) (kept int, first bool) {
		c := newCodeCache()
		for i, size := range sizes {
			m := numbered(i, size, zeros)
			c.add(&Code{module: m, key: m.BinaryHash})
			c.overflow(nil)
		}
		_, first = c.byKey[[32]byte{}]
		return c.order.Len(), first
	}
	for _, c := range []struct {
		what  string
		cache func([]int) (int, bool)
		sizes []int
		kept  int
	}{
		{"rewritten modules", inMemory, slices.Repeat([]int{1}, 256), 256},
		{"rewritten modules", inMemory, slices.Repeat([]int{1}, 257), 256},
		{"rewritten modules with 64 MiB", inMemory, []int{32 << 20, 32 << 20}, 2},
		{"rewritten modules with 64 MiB and a byte", inMemory, []int{32 << 20, 32 << 20, 1}, 2},
		{"compiled modules", compiled, slices.Repeat([]int{1}, 1024), 1024},
		{"compiled modules", compiled, slices.Repeat([]int{1}, 1025), 1024},
		{"compiled modules with 256 MiB", compiled, slices.Repeat([]int{64 << 20}, 4), 4},
		{"compiled modules with 256 MiB and a byte", compiled, append(slices.Repeat([]int{64 << 20}, 4), 1), 4},
	} {
		kept, first := c.cache(c.sizes)
		if all := kept == len(c.sizes); kept != c.kept || first != all {
			t.Errorf("of %d %s %d are kept, want %d; the first is one of them: %v", len(c.sizes), c.what, kept, c.kept, first)
		}
	}
}

func TestTheCacheFolderIsPrunedWhenItHasMoreThan8GiB(t *testing.T) {
	now := time.Now()
	for extra, want := range map[int64]int{0: 4, 1: 3} { // down to 6 GiB
		root := t.TempDir()
		d := &diskCache{root: root, dir: filepath.Join(root, "modules")}
		if err := os.Mkdir(d.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			path := filepath.Join(d.dir, fmt.Sprint(i))
			size := int64(2 << 30) // all of it a hole
			if i == 0 {
				size += extra
			}
			if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, size), os.Chtimes(path, now, now.Add(time.Duration(i)*time.Hour))); err != nil {
				t.Fatal(err)
			}
		}
		d.prune()
		if left := d.all(); len(left) != want || filepath.Base(left[want-1]) != "3" {
			t.Errorf("of 8 GiB and %d bytes in 4 files %q are left, want the %d newest", extra, left, want)
		}
	}
}

func TestAModuleThatTakesMoreThanHalfASecondIsCompiledInAProcessOfItsOwn(t *testing.T) {
	calls := 0
	e := newTestEngine(t, Config{Fragments: FragmentsNever, CacheDir: t.TempDir(), Compiler: func(ctx context.Context, dir string, binary []byte) error {
		calls++
		return CompileInto(ctx, dir, binary, 1)
	}})
	for i, c := range []struct {
		nanoseconds uint64
		calls       int
	}{{500_000_000, 0}, {500_000_001, 1}} {
		m := rewritten(t, fmt.Sprintf(`(module (func (export "canister_update f%d")))`, i))
		m.CompileTime = c.nanoseconds
		if _, err := e.Compile(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if calls != c.calls {
			t.Errorf("a module of %d ns makes %d compilations in a process of their own, want %d", c.nanoseconds, calls, c.calls)
		}
	}
}

// A commit remembers 64 MiB of what it overwrites.
func TestACommitIsUndoneUnlessItOverwroteTooMuch(t *testing.T) {
	cause := errors.New("the disk is full")
	g := newTestGuest(t, newTestEngine(t, Config{}), counter)
	offset, _ := g.slot.locate(0)
	page := g.engine.file.Borrow()
	defer g.engine.file.Return(page)
	page[0] = 77
	putBack := func(pages int) (bug any) {
		defer func() { bug = recover() }()
		g.slot.putBack(slices.Repeat([]undo{{offset, page}}, pages), cause)
		return nil
	}
	if bug := putBack(16_383); bug != nil {
		t.Errorf("undoing 16,383 pages: %v", bug)
	}
	var first [1]byte
	if err := g.ReadHeap(0, first[:]); err != nil || first[0] != 77 {
		t.Errorf("after undoing the heap begins with %v: %v", first, err)
	}
	if got, want := fmt.Sprint(putBack(16_384)), "wasm: commit failed after 16384 pages were overwritten, the heap is lost: the disk is full"; got != want {
		t.Errorf("undoing 16,384 pages: %s, want %s", got, want)
	}
}
