package wasm

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// growing grows a heap by 64 KiB, and writes to its first page and to the new one.
const growing = `(module (memory 66)
	(func (export "canister_update grow") (local $new i32)
		(local.set $new (i32.mul (memory.grow (i32.const 1)) (i32.const 65536)))
		(i32.store8 (i32.const 0) (i32.const 1))
		(i32.store8 (local.get $new) (i32.const 2))))`

func TestAHeapGrowsWhereItIsIfTheAddressesAfterItAreFree(t *testing.T) {
	for _, kind := range mappedKinds() {
		for _, occupied := range []bool{false, true} {
			e := newTestEngine(t, Config{Heaps: kind})
			g := newTestGuest(t, e, growing)
			want := make([]byte, 66*WasmPageSize)
			for range 3 { // the first heap is all anonymous, the others have pages of the file
				h := g.resident.heap.(*mappedHeap)
				start, size := unsafe.SliceData(h.bytes()), len(h.bytes())
				if occupied {
					occupy(t, unsafe.Add(unsafe.Pointer(start), size))
				}
				run(t, g, "grow")
				commit(t, g)
				want = append(want, make([]byte, WasmPageSize)...)
				want[0], want[size] = 1, 2
				if !bytes.Equal(h.bytes(), want) || !bytes.Equal(heapOf(t, g), want) {
					t.Errorf("%s: a heap of %d bytes is wrong after it grew (occupied: %t)", kind, size, occupied)
				}
				if moved := unsafe.SliceData(h.bytes()) != start; moved != occupied {
					t.Errorf("%s: a heap of %d bytes moved: %t, with other mappings after it: %t", kind, size, moved, occupied)
				}
			}
		}
	}
}

func TestAHeapThatCannotGrowKeepsItsPagesUnlessItHasToMove(t *testing.T) {
	closed, err := checkpoint.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	e := newTestEngine(t, Config{Heaps: mappedKinds()[0]})
	g := newTestGuest(t, e, growing)
	run(t, g, "grow")
	commit(t, g)
	h := g.resident.heap.(*mappedHeap)
	file, size := h.slot.file, len(h.bytes())
	want, mapped, after := bytes.Clone(h.bytes()), len(h.mappings), unsafe.Add(unsafe.Pointer(unsafe.SliceData(h.bytes())), size)
	h.slot.file = closed // its pages cannot be mapped
	if err := h.extendOrMove(int64(size+WasmPageSize), false); err == nil || errors.Is(err, errTorn) {
		t.Errorf("a heap that cannot be extended: %v", err)
	}
	if !bytes.Equal(h.bytes(), want) || len(h.mappings) != mapped {
		t.Errorf("a heap that could not be extended has %d bytes in %d mappings, want the %d in %d that it had", len(h.bytes()), len(h.mappings), size, mapped)
	}
	occupy(t, after)
	if err := h.extendOrMove(int64(size+WasmPageSize), false); !errors.Is(err, errTorn) {
		t.Errorf("a heap that cannot be mapped where it moves: %v", err)
	}
	if len(h.bytes()) != 0 || len(h.mappings) != 0 {
		t.Errorf("a heap that was lost has %d bytes in %d mappings", len(h.bytes()), len(h.mappings))
	}
	h.slot.file = file
}

// occupy maps a page at an address, unless there is one.
func occupy(t *testing.T, at unsafe.Pointer) {
	t.Helper()
	base, err := unix.MmapPtr(-1, 0, at, PageSize, unix.PROT_NONE, reserving|unix.MAP_FIXED_NOREPLACE)
	if err == unix.EEXIST {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.MunmapPtr(base, PageSize) })
}
