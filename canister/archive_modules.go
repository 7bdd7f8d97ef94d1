package canister

import (
	"context"
	"encoding/hex"
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// Modules are the modules of an archive, each once: those that canisters or their snapshots have, or will have.
type Modules struct {
	engine *Engine // nil if no canister has code
	byHash map[[32]byte]*archivedModule
	hashes [][32]byte // in order
}

type archivedModule struct {
	binary *binary // nil for one that is written before any canister has it
	module *Module // set for one that is read, or that no canister has yet
}

// NewModules returns an empty set of modules. The engine may be nil if no canister has code.
func NewModules(engine *Engine) *Modules {
	return &Modules{engine: engine, byHash: make(map[[32]byte]*archivedModule)}
}

// Add adds the modules of a canister that is to be written.
func (m *Modules) Add(c *Canister) {
	if c.state != nil {
		m.add(c.state.binary)
	}
	for _, s := range c.Snapshots.all {
		if s.binary.named {
			m.add(s.binary)
		}
	}
}

// AddInstalled adds the module of an installation in progress.
func (m *Modules) AddInstalled(in *Install) {
	if in.Module != nil {
		m.enter(in.Module.Hash(), archivedModule{module: in.Module})
	}
}

func (m *Modules) add(b *binary) { m.enter(b.hash, archivedModule{binary: b}) }

func (m *Modules) enter(hash [32]byte, a archivedModule) {
	if m.byHash[hash] == nil {
		m.byHash[hash] = &a
		at, _ := slices.BinarySearchFunc(m.hashes, hash, compareHash)
		m.hashes = slices.Insert(m.hashes, at, hash)
	}
}

// Archive writes the modules, one section each, or reads them and prepares them for installation. Close releases those
// that were read, when all canisters have theirs.
func (m *Modules) Archive(c *archive.Coder) {
	c.Section("modules", func() {
		archive.Slice(c, &m.hashes, archive.MaxItems, func(hash *[32]byte) { archive.Hash(c, hash) })
	})
	for _, hash := range m.hashes {
		c.Section("module "+hex.EncodeToString(hash[:]), func() {
			switch a := m.byHash[hash]; {
			case c.Reading():
				m.read(c, hash)
			case a.binary == nil:
				c.Bytes(&a.module.uploaded, MaxModuleBytes)
			default:
				a.binary.archive(c)
			}
		})
	}
}

// Close releases the modules that were read; canisters and snapshots keep theirs.
func (m *Modules) Close() {
	for _, hash := range m.hashes {
		if a := m.byHash[hash]; a != nil && a.module != nil {
			a.binary.release()
		}
	}
}

func (m *Modules) read(c *archive.Coder, hash [32]byte) {
	var uploaded []byte
	c.Bytes(&uploaded, MaxModuleBytes)
	if !c.Check(m.engine != nil, "there is no engine for modules") || !c.Check(m.byHash[hash] == nil, "the module is there twice") {
		return
	}
	module, reject := m.engine.Prepare(context.Background(), uploaded)
	if reject != nil {
		c.Fail("the module is not valid: %s", reject.Text)
		return
	}
	if !c.Check(module.code != nil, "the module is not valid: %s", module.m.Fault) {
		return
	}
	if !c.Check(module.Hash() == hash, "the module has hash %x", module.Hash()) {
		return
	}
	b, err := m.engine.keep(module)
	if err != nil {
		c.Fail("keep the module: %w", err)
		return
	}
	module.uploaded = nil
	m.byHash[hash] = &archivedModule{binary: b, module: module}
}

// archive writes the bytes of a module as Coder.Bytes does, without holding all of them in memory.
func (b *binary) archive(c *archive.Coder) {
	length := b.size + 1
	archive.Number(c, &length)
	part := make([]byte, 64<<10)
	for at := uint64(0); at < b.size && !c.Failed(); {
		n := min(uint64(len(part)), b.size-at)
		if err := b.image.Read(at, part[:n]); err != nil {
			c.Fail("read a module: %w", err)
		}
		c.Fixed(part[:n])
		at += n
	}
}

// archiveInstalled writes or reads the module of an installation. A module that was read can be installed.
func (m *Modules) archiveInstalled(c *archive.Coder, module *Module) {
	var hash [32]byte
	if !c.Reading() {
		hash = module.Hash()
	}
	archive.Hash(c, &hash)
	if !c.Reading() {
		return
	}
	found, kept := m.find(c, hash)
	if kept == nil {
		return
	}
	defer kept.release()
	*module = *found
	module.uploaded = make([]byte, kept.size)
	if err := kept.image.Read(0, module.uploaded); err != nil {
		c.Fail("read a module: %w", err)
	}
}

// archiveUnnamed writes or reads the module of a snapshot that is being uploaded: bytes that need not form a module
// yet. It returns nil after a fault.
func (m *Modules) archiveUnnamed(c *archive.Coder, b *binary) *binary {
	if !c.Reading() {
		archive.Number(c, &b.size)
		b.image.Archive(c)
		return b
	}
	var size uint64
	archive.AtMost(c, &size, MaxModuleBytes)
	image := m.engine.wasm.ReadImage(c, MaxModuleBytes+wasm.PageSize, true)
	if image == nil {
		return nil
	}
	if !c.Check(image.Size() == roundUp(size), "a module of %d bytes has %d", size, image.Size()) {
		image.Close()
		return nil
	}
	return &binary{engine: m.engine, refs: 1, size: size, image: image}
}

func roundUp(size uint64) uint64 { return (size + wasm.PageSize - 1) &^ (wasm.PageSize - 1) }

// find returns a module that was read, and retains its bytes.
func (m *Modules) find(c *archive.Coder, hash [32]byte) (*Module, *binary) {
	a := m.byHash[hash]
	if a == nil || a.module == nil {
		c.Fail("module %x is not there", hash[:8])
		return nil, nil
	}
	return a.module, a.binary.retain()
}
