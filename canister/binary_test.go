package canister

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/canisterd/canisterd/canister/internal/wasm"
)

func TestTheHashOfAModuleThatACanisterHasIsFoundByItsBytes(t *testing.T) {
	e, err := NewEngine(EngineConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	module := bytes.Repeat([]byte("module "), 30_000) // ends within a page
	kept := func(content []byte, hash [32]byte) *binary {
		b, err := e.newBinary(uint64(len(content)))
		if err == nil {
			err = b.image.Write(0, content)
		}
		if err != nil {
			t.Fatal(err)
		}
		e.add(b, hash)
		return b
	}
	if got := e.hashOf(module); got != sha256.Sum256(module) {
		t.Errorf("the hash of an unknown module is %x", got)
	}
	marked := [32]byte{1} // shows that it is not computed
	first := kept(module, marked)
	if got := e.hashOf(bytes.Clone(module)); got != marked {
		t.Errorf("the hash of a module that is kept is %x", got)
	}
	for _, at := range []int{0, wasm.PageSize - 1, wasm.PageSize, len(module) - 1} {
		spoiled := bytes.Clone(module)
		spoiled[at] ^= 1
		if got := e.hashOf(spoiled); got != sha256.Sum256(spoiled) {
			t.Errorf("the hash of a module that differs at byte %d is %x", at, got)
		}
	}
	other := bytes.Clone(module)
	other[0] = 'M'
	second := kept(other, [32]byte{2})
	if got := e.hashOf(other); got != [32]byte{2} {
		t.Errorf("the hash of the last module of its size is %x", got)
	}
	first.release()
	if got := e.hashOf(other); got != [32]byte{2} {
		t.Errorf("once another of its size is gone, the hash is %x", got)
	}
	second.release()
	if got := e.hashOf(other); got != sha256.Sum256(other) {
		t.Errorf("the hash of a module that is gone is %x", got)
	}
	if len(e.binaries)+len(e.bySize) > 0 {
		t.Errorf("%d modules and %d sizes are left", len(e.binaries), len(e.bySize))
	}
}
