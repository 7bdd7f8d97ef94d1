package canister

import (
	"fmt"

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
	b.hash, b.named = m.m.Hash, true
	e.binaries[b.hash] = b
	return b, nil
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
	b.image.Close()
}
