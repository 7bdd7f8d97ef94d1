package canister

import (
	"bytes"
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/stable"
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// Snapshot is the state of a canister at one moment (interface specification, "Canister snapshots"). It was taken of
// the canister, or uploaded; only an uploaded one is written. It shares its pages with the canister until the canister
// changes them.
type Snapshot struct {
	Number   uint64 // among the canister's
	Taken    uint64 // ns
	Version  uint64 // of the canister at that time
	Uploaded bool   // it was made by uploading
	// Certified is the certified data, at most 32 bytes; Chunks is the chunk store.
	Certified []byte
	Chunks    ChunkStore
	// Globals are the exported globals and the mutable ones, in the replica's order.
	Globals []Global
	// Timer is the global timer in ns, 0 if it is inactive; Hook is the state of the low-memory hook. They are nil if
	// an uploaded snapshot does not specify them.
	Timer *uint64
	Hook  *Hook

	binary *binary
	heap   *wasm.Image
	stable *stable.Memory
}

// Global is the value of a global: only Low except for v128. Type is its value type in the binary format of Wasm.
type Global struct {
	Type      byte
	Low, High uint64
}

// The types of globals.
const (
	GlobalI32  = 0x7f
	GlobalI64  = 0x7e
	GlobalF32  = 0x7d
	GlobalF64  = 0x7c
	GlobalV128 = 0x7b
)

// Hook is the state of the low-memory hook (interface specification, "On low wasm memory").
type Hook uint8

// The states of the hook.
const (
	HookNotSatisfied Hook = iota
	HookReady
	HookExecuted
)

// SnapshotPart is a part of a snapshot that is read and written as bytes.
type SnapshotPart uint8

// The parts: the module as uploaded, the heap, stable memory.
const (
	ModulePart SnapshotPart = iota
	HeapPart
	StablePart
)

// SnapshotMetadata describes a snapshot to be uploaded: sizes are in bytes, those of memories in whole Wasm pages.
type SnapshotMetadata struct {
	Taken, Version               uint64
	ModuleSize, HeapSize, Stable uint64
	Certified                    []byte
	Globals                      []Global
	Timer                        *uint64
	Hook                         *Hook
}

// Bytes returns the memory that a snapshot with this metadata is billed for, without chunks.
func (d *SnapshotMetadata) Bytes() uint64 {
	return d.ModuleSize + d.HeapSize + d.Stable + uint64(len(d.Certified)) + globalBytes*uint64(len(d.Globals))
}

// Snapshot takes a snapshot of an idle canister that has code. Nothing is copied. hook is the state of its low-memory
// hook.
func (c *Canister) Snapshot(now uint64, hook Hook) *Snapshot {
	s, timer := c.state, c.Timer
	r := s.loadedRunner()
	return &Snapshot{
		Taken: now, Version: c.Version, Certified: c.Certified, Chunks: c.Chunks.Fork(), Globals: s.globals(), Timer: &timer, Hook: &hook,
		binary: s.binary.retain(), heap: r.guest.Freeze(), stable: r.stable.Fork(),
	}
}

// SnapshotBytes returns the memory that a snapshot of the canister would be billed for.
func (c *Canister) SnapshotBytes() uint64 {
	u := c.MemoryUsage()
	return u.Heap + u.Stable + u.Globals + u.Binary + u.Chunks + uint64(len(c.Certified))
}

// globals returns the values of all globals that a replica keeps with the state.
func (s *state) globals() []Global {
	exposed := s.module.m.Exposed
	mutable := s.loadedRunner().guest.Globals()
	all := make([]Global, len(exposed))
	for i, x := range exposed {
		all[i] = Global{x.Type, x.Low, x.High}
		for _, v := range mutable {
			if v.Index == x.Index {
				all[i].Low, all[i].High = v.Low, v.High
			}
		}
	}
	return all
}

// NewSnapshot makes a snapshot with a module and memories of zeros, which are to be uploaded. An error means that the
// disk is full.
func (e *Engine) NewSnapshot(d *SnapshotMetadata) (*Snapshot, error) {
	b, err := e.newBinary(d.ModuleSize)
	if err != nil {
		return nil, err
	}
	heap, err := e.wasm.NewImage(d.HeapSize)
	if err != nil {
		b.release()
		return nil, err
	}
	s := &Snapshot{
		Taken: d.Taken, Version: d.Version, Uploaded: true, Certified: bytes.Clone(d.Certified), Globals: d.Globals, Timer: d.Timer, Hook: d.Hook,
		binary: b, heap: heap, stable: stable.New(e.wasm.File()),
	}
	s.stable.Grow(d.Stable / stable.PageSize)
	if err := s.stable.Commit(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close releases the snapshot's module, chunks and memories.
func (s *Snapshot) Close() {
	s.Chunks.Clear()
	s.binary.release()
	s.heap.Close()
	s.stable.Close()
}

// Size returns the length of a part in bytes.
func (s *Snapshot) Size(p SnapshotPart) uint64 {
	switch p {
	case ModulePart:
		return s.binary.size
	case HeapPart:
		return s.heap.Size()
	}
	return s.stable.Size() * stable.PageSize
}

// Bytes returns the memory that the snapshot is billed for.
func (s *Snapshot) Bytes() uint64 {
	n := s.Size(ModulePart) + s.Size(HeapPart) + s.Size(StablePart) + s.Chunks.Bytes() + uint64(len(s.Certified))
	if s.Uploaded {
		return n + globalBytes*uint64(len(s.Globals))
	}
	return n + globalMemory(len(s.Globals))
}

// HeapDelta returns how many bytes of the snapshot a replica without a checkpoint yet holds as changes.
func (s *Snapshot) HeapDelta() uint64 {
	return wasm.PageSize*(s.heap.Written()+s.stable.Written()) + s.Chunks.HeapDelta()
}

// Within reports whether [offset, offset+size) lies in a part.
func (s *Snapshot) Within(p SnapshotPart, offset, size uint64) bool {
	all := s.Size(p)
	return offset <= all && size <= all-offset
}

// Read returns size bytes of a part, which must have them. The error comes from the checkpoint file.
func (s *Snapshot) Read(p SnapshotPart, offset, size uint64) ([]byte, error) {
	if !s.Within(p, offset, size) {
		return nil, fmt.Errorf("read %d bytes of a snapshot at offset %d: the part has %d bytes", size, offset, s.Size(p))
	}
	dst := make([]byte, size)
	switch p {
	case ModulePart:
		return dst, s.binary.image.Read(offset, dst)
	case HeapPart:
		return dst, s.heap.Read(offset, dst)
	}
	return dst, s.stable.Peek(offset, dst)
}

// Write writes to a part of an uploaded snapshot, which must have room for the bytes. An error means that the disk is
// full; some bytes may then be written.
func (s *Snapshot) Write(p SnapshotPart, offset uint64, src []byte) error {
	if !s.Uploaded || !s.Within(p, offset, uint64(len(src))) {
		return fmt.Errorf("write %d bytes of a snapshot at offset %d: the part has %d bytes", len(src), offset, s.Size(p))
	}
	switch p {
	case ModulePart:
		return s.binary.image.Write(offset, src)
	case HeapPart:
		return s.heap.Write(offset, src)
	}
	if err := s.stable.Write(offset, src); err != nil {
		s.stable.Rollback()
		return err
	}
	if err := s.stable.Commit(); err != nil {
		s.stable.Rollback()
		return err
	}
	return nil
}
