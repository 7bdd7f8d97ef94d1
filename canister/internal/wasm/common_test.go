package wasm

import (
	"slices"
	"sync"
	"testing"
)

// evictAllIdle evicts all guests that no message runs.
func evictAllIdle(e *Engine) {
	e.EvictIdle()
	e.EvictIdle()
}

// table has eight pages of data, and a counter in a page after them.
const table = `(module (import "ic0" "note" (func $note (param i64))) (memory 1)
	(func (export "canister_update init")
		(memory.fill (i32.const 0) (i32.const 7) (i32.const 32768)) (i64.store (i32.const 32768) (i64.const 1)))
	(func (export "canister_update inc") (i64.store (i32.const 32768) (i64.add (i64.load (i32.const 32768)) (i64.const 1))))
	(func (export "canister_update clear") (memory.fill (i32.const 0) (i32.const 0) (i32.const 65536)))
	(func (export "canister_update heap") (call $note (i64.load (i32.const 32768))) (call $note (i64.load (i32.const 32760)))))`

// tables are guests of table, each with another count.
func tables(t *testing.T, e *Engine, count int) []*Guest {
	all := make([]*Guest, count)
	for i := range all {
		all[i] = newTestGuest(t, e, table)
		run(t, all[i], "init")
		for range i {
			run(t, all[i], "inc")
		}
		commit(t, all[i])
	}
	return all
}

// expectTable checks what a guest of table has, its count and the last word of its data.
func expectTable(t *testing.T, g *Guest, want ...uint64) {
	t.Helper()
	if got := run(t, g, "heap").got; !slices.Equal(got, want) {
		t.Errorf("a guest has %d, want %d", got, want)
	}
	g.Rollback()
}

const data = 0x0707070707070707 // words of table

func TestIdleGuestsOfOneCodeKeepEqualPagesOnce(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		all := tables(t, e, 10)
		evictAllIdle(e)
		if n := e.Resident(); n != 0 {
			t.Errorf("%d idle guests are resident", n)
		}
		own := int64(0)
		for i, g := range all {
			own += g.slot.own
			expectTable(t, g, uint64(i+1), data)
		}
		if want := int64(9 + 9); own != want { // the guest that the second was compared with keeps its pages
			t.Errorf("ten guests with nine pages each have %d pages of their own, want %d", own, want)
		}
		evictAllIdle(e)
		if own := all[0].slot.own + all[9].slot.own; own != 2 {
			t.Errorf("after they ran and became idle again, the first and the last guest have %d pages of their own, want 2", own)
		}
	})
}

func TestGuestsOfOtherContentShareNothing(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		all := tables(t, e, 4)
		for _, g := range all[:2] {
			run(t, g, "clear")
			commit(t, g)
		}
		evictAllIdle(e)
		for i, g := range all {
			if i < 2 {
				expectTable(t, g, 0, 0)
			} else {
				expectTable(t, g, uint64(i+1), data)
			}
		}
	})
}

func TestOnlyTheFirst16MiBOfHeapsAreCompared(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		var last *Guest
		for range 3 {
			last = newTestGuest(t, e, dataAtTheLimit)
			evictAllIdle(e)
		}
		if own := last.slot.own; own != 1 {
			t.Errorf("of two equal pages, one of them after 16 MiB, a guest has %d of its own, want 1", own)
		}
	})
}

// dataAtTheLimit has a byte on each side of 16 MiB.
const dataAtTheLimit = `(module (memory 257) (data (i32.const 16777215) "x") (data (i32.const 16777216) "y"))`

func TestALayerInCommonEndsWithItsLastGuest(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		all := tables(t, e, 3)
		evictAllIdle(e)
		for _, g := range all[:2] {
			g.Close()
		}
		run(t, all[2], "inc") // it is alone on the layer
		commit(t, all[2])
		if all[2].slot.base != nil {
			t.Error("the last guest keeps a layer of its own")
		}
		next := tables(t, e, 2)
		evictAllIdle(e)
		for i, g := range next {
			expectTable(t, g, uint64(i+1), data)
			g.Close()
		}
		all[2].Close()
		if n := e.File().InUse(); n != 0 {
			t.Errorf("%d bytes of the checkpoint file are still in use", n)
		}
	})
}

func TestGuestsRunWhileIdleOnesAreEvicted(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		all := tables(t, e, 8)
		const messages = 50
		var work sync.WaitGroup
		for _, g := range all {
			work.Go(func() {
				for range messages {
					run(t, g, "inc")
					commit(t, g)
				}
			})
			work.Go(func() {
				for range messages {
					if s, err := g.Snapshot(); err == nil {
						run(t, s, "heap")
						s.Close()
					}
				}
			})
		}
		done := make(chan struct{})
		go func() {
			work.Wait()
			close(done)
		}()
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
				e.EvictIdle()
			}
		}
		for i, g := range all {
			expectTable(t, g, uint64(i+1+messages), data)
		}
	})
}
