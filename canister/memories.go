package canister

import (
	"github.com/canisterd/canisterd/canister/internal/stable"
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// Memories are the heap and the stable memory of a canister as of the last commit. Nothing is copied, and later changes
// of the canister are not visible. They may be read and closed on any goroutine, by one at a time, and must be closed
// before the engine.
type Memories struct {
	heap   *wasm.Image
	stable *stable.Memory
}

// Memories returns the memories, nil without code. It may be called while a message of the canister is paused.
func (c *Canister) Memories() *Memories {
	if c.state == nil {
		return nil
	}
	r := c.state.loadedRunner()
	return &Memories{r.guest.Freeze(), r.stable.Snapshot()}
}

// HeapSize returns the size of the heap in bytes.
func (m *Memories) HeapSize() uint64 { return m.heap.Size() }

// StableSize returns the size of the stable memory in bytes.
func (m *Memories) StableSize() uint64 { return m.stable.Size() * stable.PageSize }

// ReadHeap fills dst with the bytes of the heap at an offset; they must exist. The error comes from the checkpoint
// file.
func (m *Memories) ReadHeap(offset uint64, dst []byte) error { return m.heap.Read(offset, dst) }

// ReadStable is ReadHeap for the stable memory.
func (m *Memories) ReadStable(offset uint64, dst []byte) error { return m.stable.Peek(offset, dst) }

// Close releases them.
func (m *Memories) Close() {
	m.heap.Close()
	m.stable.Close()
}
