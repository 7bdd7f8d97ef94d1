package canister

import (
	"fmt"
	"weak"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// binary is a module as uploaded. The checkpoint file holds its bytes once for all canisters and snapshots that have
// it: only readers of snapshots need them.
type binary struct {
	engine *Engine
	hash   [32]byte
	named  bool // found by its hash
	refs   int  // guarded by the engine's mu
	size   uint64
	image  *wasm.Image
	recent weak.Pointer[[]byte] // the bytes that were read last, until they are collected; guarded by the engine's mu
}

// newBinary allocates a module of zeros, to be written later.
func (e *Engine) newBinary(size uint64) (*binary, error) {
	image, err := e.wasm.NewImage((size + wasm.PageSize - 1) &^ (wasm.PageSize - 1))
	if err != nil {
		return nil, err
	}
	return &binary{engine: e, refs: 1, size: size, image: image}, nil
}

// keep stores the module as uploaded for readers of snapshots; the caller releases it.
func (e *Engine) keep(m *Module) (*binary, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.binaries[m.m.Hash]; b != nil {
		b.refs++
		return b, nil
	}
	if len(m.uploaded) != m.UploadedSize() {
		panic(fmt.Sprintf("canister: module %x is installed from a canister that is gone", m.m.Hash[:8]))
	}
	b, err := e.newBinary(uint64(len(m.uploaded)))
	if err != nil {
		return nil, err
	}
	if err := b.image.Write(0, m.uploaded); err != nil {
		b.image.Close()
		return nil, fmt.Errorf("keep a module of %d bytes: %w", b.size, err)
	}
	e.add(b, m.m.Hash)
	return b, nil
}

// add makes a binary known by its hash and its size. Needs mu.
func (e *Engine) add(b *binary, hash [32]byte) {
	b.hash, b.named = hash, true
	e.binaries[b.hash], e.bySize[b.size] = b, b
}

// hashOf returns the hash of a module as uploaded. Most modules are installed again and again: if a canister has the same
// bytes, they are compared, which is faster than hashing them (BenchmarkRatioHashOfAKnownModule).
func (e *Engine) hashOf(uploaded []byte) [32]byte {
	e.mu.Lock()
	b := e.bySize[uint64(len(uploaded))]
	if b != nil {
		b.refs++
	}
	e.mu.Unlock()
	if b == nil {
		return rewrite.Hash(uploaded)
	}
	defer b.release()
	if same, err := b.image.HasPrefix(uploaded); err != nil || !same {
		return rewrite.Hash(uploaded)
	}
	return b.hash
}

// Uploaded returns the bytes of a module as uploaded that a canister of this engine has, or a snapshot that a canister took
// or loaded; nil: none has it. Its bytes are reserved before they are read.
func (e *Engine) Uploaded(hash [32]byte, reserve func(bytes int64) error) ([]byte, error) {
	b := e.find(hash)
	if b == nil {
		return nil, nil
	}
	defer b.release()
	if err := reserve(int64(b.size)); err != nil {
		return nil, err
	}
	return b.read()
}

// find returns a binary by its hash, nil if there is none; the caller releases it.
func (e *Engine) find(hash [32]byte) *binary {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.binaries[hash]
	if b != nil {
		b.refs++
	}
	return b
}

// read returns the bytes, which are read-only: whoever reads them soon after gets the same slice.
func (b *binary) read() ([]byte, error) {
	b.engine.mu.Lock()
	recent := b.recent.Value()
	b.engine.mu.Unlock()
	if recent != nil {
		return *recent, nil
	}
	uploaded := make([]byte, b.size)
	if err := b.image.Read(0, uploaded); err != nil {
		return nil, fmt.Errorf("read module %x: %w", b.hash[:8], err)
	}
	b.engine.mu.Lock()
	b.recent = weak.Make(&uploaded)
	b.engine.mu.Unlock()
	return uploaded, nil
}

func (b *binary) retain() *binary {
	b.engine.mu.Lock()
	b.refs++
	b.engine.mu.Unlock()
	return b
}

func (b *binary) release() {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.refs--; b.refs > 0 {
		return
	}
	if b.named {
		delete(b.engine.binaries, b.hash)
	}
	if b.engine.bySize[b.size] == b {
		delete(b.engine.bySize, b.size)
	}
	b.image.Close()
}
