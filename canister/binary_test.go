package canister

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// keeper is an engine that keeps modules under chosen hashes.
type keeper struct {
	testing.TB
	*Engine
}

func newKeeper(t testing.TB) keeper {
	t.Helper()
	e, err := NewEngine(EngineConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return keeper{t, e}
}

func (k keeper) kept(content []byte, hash [32]byte) *binary {
	k.Helper()
	b, err := k.newBinary(uint64(len(content)))
	if err == nil {
		err = b.image.Write(0, content)
	}
	if err != nil {
		k.Fatal(err)
	}
	k.add(b, hash)
	return b
}

func TestAModuleIsReadOnceUntilItIsCollected(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	e := newKeeper(t)
	module, hash := bytes.Repeat([]byte("module "), 30_000), [32]byte{1}
	defer e.kept(module, hash).release()
	read := func() []byte {
		got, err := e.Uploaded(hash, func(int64) error { return nil })
		if err != nil || !bytes.Equal(got, module) {
			t.Errorf("the module has %d bytes, want %d: %v", len(got), len(module), err)
		}
		return got
	}
	first := read()
	if second := read(); &first[0] != &second[0] {
		t.Error("the module is read again, though its bytes are in memory")
	}
	runtime.GC()
	if third := read(); &first[0] == &third[0] {
		t.Error("the bytes of a module are kept through a collection")
	}
}

func TestAModuleThatACanisterHasIsFoundByItsHash(t *testing.T) {
	e := newKeeper(t)
	module, hash := bytes.Repeat([]byte("module "), 30_000), [32]byte{1}
	b := e.kept(module, hash)
	reserved := int64(0)
	reserve := func(bytes int64) error { reserved += bytes; return nil }
	if got, err := e.Uploaded(hash, reserve); err != nil || !bytes.Equal(got, module) || reserved != int64(len(module)) {
		t.Errorf("the module has %d bytes, of which %d were reserved, want %d: %v", len(got), reserved, len(module), err)
	}
	full := errors.New("full")
	if got, err := e.Uploaded(hash, func(int64) error { return full }); got != nil || !errors.Is(err, full) {
		t.Errorf("without memory, the module has %d bytes: %v", len(got), err)
	}
	b.release()
	if got, err := e.Uploaded(hash, reserve); got != nil || err != nil {
		t.Errorf("a module that is gone has %d bytes: %v", len(got), err)
	}
	if len(e.binaries) > 0 {
		t.Errorf("%d modules are left", len(e.binaries))
	}
}

func TestTheHashOfAModuleThatACanisterHasIsFoundByItsBytes(t *testing.T) {
	e := newKeeper(t)
	module := bytes.Repeat([]byte("module "), 30_000) // ends within a page
	if got := e.hashOf(module); got != sha256.Sum256(module) {
		t.Errorf("the hash of an unknown module is %x", got)
	}
	marked := [32]byte{1} // shows that it is not computed
	first := e.kept(module, marked)
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
	second := e.kept(other, [32]byte{2})
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
