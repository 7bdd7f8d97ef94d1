package fragment

import (
	"slices"
	"strconv"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
)

// Source is a module that runs in fragments. Functions have the indices of the module. Its methods are called by one
// goroutine at a time.
type Source struct {
	file     *wasmfile.Module
	imports  uint32   // imported functions
	hasTable bool     // the module has a table
	slots    [][]slot // of each function that is not imported, in the module's table
	entries  []uint32 // functions in the entries of the module's table; 0, which is an import in every rewritten module, for none
	callees  [][]uint32
}

// slot is an entry of the module's table.
type slot = uint32

// New returns the source of a rewritten module, in place. It returns false for a module that cannot be cut: one with a
// start section, with more than a table, or whose table has other entries than its own functions. The module must not
// take references to functions, nor change its table.
func New(binary []byte) (*Source, bool) {
	s := &Source{file: wasmfile.Parse(binary)}
	f := s.file
	s.imports = uint32(len(f.Imports))
	s.slots, s.callees = make([][]slot, len(f.Functions)), make([][]uint32, len(f.Functions))
	if f.Start != nil || !s.readTable() {
		return nil, false
	}
	for _, e := range f.Elements {
		if !s.readElements(wasmfile.NewReader(e)) {
			return nil, false
		}
	}
	s.placeEntries()
	return s, true
}

// readTable reads the size of the module's table, and returns false if there are several.
func (s *Source) readTable() bool {
	raw := s.file.Raw[wasmfile.SectionTable]
	if raw == nil {
		return true
	}
	r := wasmfile.NewReader(raw)
	if r.U32() != 1 {
		return false
	}
	const funcref = 0x70
	elem, flags := r.Byte(), r.Byte()
	s.hasTable, s.entries = true, make([]uint32, r.U32())
	return elem == funcref && flags <= 1
}

// readElements reads an element segment, and returns false if it is not a list of own functions within the table.
func (s *Source) readElements(r *wasmfile.Reader) bool {
	const constant = wasmfile.ElementIndexed
	flags := r.U32()
	if flags&^constant != 0 || flags == constant && r.U32() != 0 || r.Byte() != wasmfile.OpI32Const {
		return false
	}
	at := uint64(uint32(r.I32()))
	if r.Byte(); flags == constant {
		r.Byte() // the kind
	}
	fits := true
	r.Each(func() {
		f := r.U32()
		if fits = fits && f >= s.imports && at < uint64(len(s.entries)); fits {
			s.entries[at] = f
		}
		at++
	})
	return fits
}

// placeEntries lists the slots of each function.
func (s *Source) placeEntries() {
	for i, f := range s.entries {
		if f != 0 {
			s.slots[f-s.imports] = append(s.slots[f-s.imports], slot(i))
		}
	}
}

// Function returns the function that is exported by a name.
func (s *Source) Function(export string) (function uint32, ok bool) { return s.file.Exported(export) }

// Entry returns the function in an entry of the module's table; false if there is none.
func (s *Source) Entry(i uint32) (function uint32, ok bool) {
	if i >= uint32(len(s.entries)) || s.entries[i] == 0 {
		return 0, false
	}
	return s.entries[i], true
}

// Export returns the name by which a fragment exports a function.
func Export(function uint32) string { return strconv.FormatUint(uint64(function), 10) }

// name returns the name of a function in backtraces, as the module itself has it.
func (s *Source) name(function uint32) string {
	if name := s.file.Names[function]; name != "" {
		return name
	}
	return "$" + Export(function)
}

// signature returns the type of a function.
func (s *Source) signature(function uint32) string { return s.file.Types[s.file.Type(function)] }

// inRegisters reports whether the engine passes all parameters and results of a type in registers, with more integers as
// parameters.
func inRegisters(signature string, more int) bool {
	r := wasmfile.NewReader([]byte(signature[1:]))
	return fits(r.Block(), more) && fits(r.Block(), 0)
}

func fits(types []byte, more int) bool {
	const integer32, integer64 = 0x7f, 0x7e
	floats := 0
	for _, t := range types {
		if t != integer32 && t != integer64 {
			floats++
		}
	}
	return floats <= registerFloats && len(types)-floats+more <= registerIntegers
}

// parameters returns how many parameters a type has.
func parameters(signature string) uint32 { return wasmfile.NewReader([]byte(signature[1:])).U32() }

// Choose returns the functions of the fragment for a function: itself, and functions that it calls, directly or through
// others, as long as they are small. Functions that have a fragment are left out.
func (s *Source) Choose(function uint32, loaded func(uint32) bool) []uint32 {
	chosen, left := []uint32{function}, maxBytes-s.size(function)
	for i := 0; i < len(chosen); i++ {
		for _, f := range s.calls(chosen[i]) {
			if f < s.imports || s.size(f) > left || s.size(f) > maxCallee || loaded(f) || slices.Contains(chosen, f) {
				continue
			}
			chosen = append(chosen, f)
			left -= s.size(f)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// size returns the bytes of a function's body.
func (s *Source) size(function uint32) int { return len(s.body(function)) }

func (s *Source) body(function uint32) []byte { return s.file.Bodies[function-s.imports] }

// calls returns the functions that a function calls, in the order of their first call.
func (s *Source) calls(function uint32) []uint32 {
	known := &s.callees[function-s.imports]
	if *known != nil {
		return *known
	}
	same := func(i uint32) uint32 { return i }
	called := []uint32{}
	wasmfile.NewReader(s.body(function)).Body(nil, &wasmfile.Renumbering{Function: func(f uint32) uint32 {
		if !slices.Contains(called, f) {
			called = append(called, f)
		}
		return f
	}, Global: same, Type: same})
	*known = called
	return called
}
