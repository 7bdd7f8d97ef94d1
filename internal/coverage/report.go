package coverage

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/internal/sourcelines"
)

// Module is what ran of the module of a canister.
type Module struct {
	Name      string   // of the canister
	Hash      [32]byte // SHA-256 of the module as uploaded
	Functions []Function
	Lines     *sourcelines.Lines // nil or empty if the module has none
}

// Function is what ran of a function.
type Function struct {
	Name   string
	Index  uint32 // as a replica counts: imports come first
	Kind   string // what it is for, such as "callback"; empty if unknown
	Blocks []Block
}

// Block is a basic block: if it begins to run, it runs to its end or traps.
type Block struct {
	From, To uint32 // offsets in the module's file: of its first operator, and after its last
	Ran      bool
}

// Report is what ran of any number of canisters. The zero value is empty. Modules are in the order of names and hashes,
// and no two have the same: a canister that was upgraded has several.
type Report struct{ Modules []Module }

// Add adds what ran of a module: to what the report has of the module with this name and hash, if it has it. The error
// says that both have the same hash and other blocks; then nothing was added. The report keeps a copy of the blocks.
func (r *Report) Add(m Module) error {
	at, known := slices.BinarySearchFunc(r.Modules, m, order)
	if known {
		return r.Modules[at].merge(&m)
	}
	m.Functions = slices.Clone(m.Functions)
	for i := range m.Functions {
		m.Functions[i].Blocks = slices.Clone(m.Functions[i].Blocks)
	}
	slices.SortStableFunc(m.Functions, byIndex)
	r.Modules = slices.Insert(r.Modules, at, m)
	return nil
}

func order(a, b Module) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), bytes.Compare(a.Hash[:], b.Hash[:]))
}

func byIndex(a, b Function) int { return cmp.Compare(a.Index, b.Index) }

// merge marks the blocks that ran in another run of the same module.
func (m *Module) merge(other *Module) error {
	functions := slices.Clone(other.Functions)
	slices.SortStableFunc(functions, byIndex)
	if !slices.EqualFunc(m.Functions, functions, sameBlocks) {
		return fmt.Errorf("two reports of canister %s have the same module, %x, and other blocks: they are from different versions of canisterd, so measure both again", printable(m.Name), m.Hash[:4])
	}
	for i := range functions {
		f := &m.Functions[i]
		f.Kind = cmp.Or(f.Kind, functions[i].Kind)
		for j, b := range functions[i].Blocks {
			f.Blocks[j].Ran = f.Blocks[j].Ran || b.Ran
		}
	}
	if m.Lines.Empty() {
		m.Lines = other.Lines
	}
	return nil
}

func sameBlocks(a, b Function) bool {
	return a.Index == b.Index && slices.EqualFunc(a.Blocks, b.Blocks, func(a, b Block) bool { return a.From == b.From && a.To == b.To })
}
