package wasm

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

func TestRandomProgramsAgreeWithACopy(t *testing.T) {
	const text = `(module (import "ic0" "note" (func $note (param i64))) (memory 1 6)
		(global $at (mut i32) (i32.const 0)) (global $n (mut i32) (i32.const 0)) (global $v (mut i32) (i32.const 0))
		(func (export "canister_update fill") (memory.fill (global.get $at) (global.get $v) (global.get $n)))
		(func (export "canister_update trap") (memory.fill (global.get $at) (global.get $v) (global.get $n)) (unreachable))
		(func (export "canister_update grow") (drop (memory.grow (global.get $n)))))`
	smallBlocks(t)
	eachKind(t, func(t *testing.T, kind HeapKind) {
		t.Parallel() // beside the other kinds alone: the blocks are of the process
		e := newTestEngine(t, Config{Heaps: kind, MaxResident: 2})
		code := compiled(t, e, text)
		rapid.Check(t, func(t *rapid.T) { randomProgram(t, e, code) })
		if n := e.File().InUse(); n != 0 {
			t.Errorf("%d bytes of the checkpoint file are still in use", n)
		}
	})
}

// flat is the naive model: the whole state, copied at every turn.
type flat struct {
	heap    []byte
	globals [3]uint32
}

func (f flat) clone() flat { return flat{bytes.Clone(f.heap), f.globals} }

type modelled struct {
	g              *Guest
	committed, now flat
	origin         *modelled // of a snapshot
}

func randomProgram(t *rapid.T, e *Engine, code *Code) {
	var all []*modelled
	defer func() {
		for _, m := range all {
			m.g.Close()
		}
	}()
	pick := func() *modelled { return all[rapid.IntRange(0, len(all)-1).Draw(t, "guest")] }
	add := func() {
		g, err := e.NewGuest(code)
		if err != nil {
			t.Fatal(err)
		}
		start := flat{heap: make([]byte, WasmPageSize)}
		all = append(all, &modelled{g, start, start.clone(), nil})
	}
	add()
	message := func(name string) func(*rapid.T) {
		return func(t *rapid.T) { pick().message(t, name) }
	}
	t.Repeat(map[string]func(*rapid.T){
		"": func(*rapid.T) {
			for _, m := range all {
				m.check(t)
			}
		},
		"new": func(*rapid.T) {
			if len(all) < 4 {
				add()
			}
		},
		"fill": message("fill"), "trap": message("trap"), "grow": message("grow"),
		"end": func(t *rapid.T) {
			m := pick()
			if m.origin != nil || rapid.Bool().Draw(t, "rollback") {
				m.g.Rollback()
				m.now = m.committed.clone()
				return
			}
			dirty := m.dirty()
			if c, err := m.g.Commit(); err != nil || c.DirtyPages != dirty || int(c.HeapBytes) != len(m.now.heap) {
				t.Fatalf("commit: %+v, %v; want %d dirty pages", c, err, dirty)
			}
			m.committed = m.now.clone()
		},
		"fork": func(t *rapid.T) {
			from := pick()
			if len(all) >= 5 || from.origin != nil {
				return
			}
			root := from.g.SnapshotRoot()
			defer root.Close()
			all = append(all, &modelled{root.Volatile(), from.committed.clone(), from.committed.clone(), nil})
		},
		"idle": func(*rapid.T) { evictAllIdle(e) },
		"freeze": func(t *rapid.T) {
			m := pick()
			if m.origin != nil {
				return
			}
			image, got := m.g.Freeze(), make([]byte, len(m.committed.heap))
			defer image.Close()
			if err := image.Read(0, got); err != nil || !checkpoint.Equal(got, m.committed.heap) {
				t.Fatalf("the image differs: %v", err)
			}
		},
		"close": func(t *rapid.T) {
			m := pick()
			if len(all) < 2 || slices.ContainsFunc(all, func(o *modelled) bool { return o.origin == m }) {
				return
			}
			m.g.Close()
			all = slices.DeleteFunc(all, func(o *modelled) bool { return o == m })
		},
		"snapshot": func(t *rapid.T) {
			from := pick()
			if len(all) >= 5 || from.origin != nil {
				return
			}
			s, err := from.g.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, &modelled{s, from.committed.clone(), from.committed.clone(), from})
		},
	})
}

func (m *modelled) message(t *rapid.T, name string) {
	if m.origin != nil && !m.g.open { // it follows its origin until it begins a message
		m.now = m.origin.committed.clone()
	}
	n := rapid.SampledFrom([]uint32{1, 5000, 280000}).Draw(t, "most")
	args := [3]uint32{
		uint32(rapid.IntRange(0, len(m.now.heap)).Draw(t, "at")), uint32(rapid.IntRange(0, int(n)).Draw(t, "size")), uint32(rapid.IntRange(0, 3).Draw(t, "value")),
	}
	if name == "grow" {
		args[1] = uint32(rapid.IntRange(0, 3).Draw(t, "pages"))
	}
	m.g.begin()
	for i, v := range args {
		m.g.resident.globals[i].narrow.Set(uint64(v))
	}
	m.now.globals = args
	err := m.g.Run(method(name), nil, plenty)
	at, size := int(args[0]), int(args[1])
	switch {
	case name == "grow":
		if pages := len(m.now.heap) / WasmPageSize; pages+size <= 6 {
			m.now.heap = append(m.now.heap, make([]byte, size*WasmPageSize)...)
		}
	case at+size > len(m.now.heap):
		if !isTrap(err, HeapOutOfBounds) {
			t.Fatalf("out of bounds: %v", err)
		}
		return
	default:
		copy(m.now.heap[at:], bytes.Repeat([]byte{byte(args[2])}, size))
	}
	if (err != nil) != (name == "trap") {
		t.Fatalf("%s: %v", name, err)
	}
}

func (m *modelled) dirty() int {
	n := 0
	for at := 0; at < len(m.now.heap); at += PageSize {
		before := zeroPage[:]
		if at < len(m.committed.heap) {
			before = m.committed.heap[at : at+PageSize]
		}
		if !checkpoint.Equal(before, m.now.heap[at:at+PageSize]) {
			n++
		}
	}
	return n
}

func (m *modelled) check(t *rapid.T) {
	if m.origin != nil && !m.g.open {
		return
	}
	if got := m.g.MemorySize(); got != uint64(len(m.now.heap)) {
		t.Fatalf("heap has %d bytes, want %d", got, len(m.now.heap))
	}
	got := make([]byte, len(m.now.heap))
	if err := m.g.ReadHeap(0, got); err != nil {
		t.Fatal(err)
	}
	if !checkpoint.Equal(got, m.now.heap) {
		t.Fatal("heaps differ")
	}
	for i, v := range m.g.Globals() {
		if uint32(v.Low) != m.now.globals[i] {
			t.Fatalf("global %d is %d, want %d", i, v.Low, m.now.globals[i])
		}
	}
	if m.origin == nil {
		if n := m.g.DirtyPages(); n != 0 && n != m.dirty() {
			t.Fatalf("%d dirty pages, want %d", n, m.dirty())
		}
	}
}
