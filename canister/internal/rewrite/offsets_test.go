package rewrite

import (
	"fmt"
	"slices"
	"testing"
)

// located are the operators of a module that are not in dead code: their offsets in the file, by function.
func located(t *testing.T, raw []byte) [][]int {
	t.Helper()
	options := conformance
	options.offsets = new(Offsets)
	if _, err := Rewrite(raw, options); err != nil {
		t.Fatal(err)
	}
	all := make([][]int, len(options.offsets.bodies))
	for i, b := range options.offsets.bodies {
		for place := range b.to - b.from {
			if at, ok := options.offsets.Original(b.from + place); ok && !slices.Contains(all[i], int(at)) {
				all[i] = append(all[i], int(at))
			}
		}
	}
	return all
}

// codeSection is where the content of the code section is.
func codeSection(module []byte) int {
	r := &reader{data: module, pos: 8}
	for {
		id, size := r.byte(), r.u32()
		if id == sectionCode {
			return r.pos
		}
		r.skip(int(size))
	}
}

// fails reports whether an operator may trap or calls, and so may be in a backtrace; the pass itself writes none of them.
func fails(op byte) bool {
	return op >= firstMemoryOp && op < opMemorySize || op == opCallIndirect || op >= 0x6d && op <= 0x70 || op >= 0x7f && op <= 0x82 ||
		op >= 0xa8 && op <= 0xab || op >= 0xae && op <= 0xb1
}

func TestOffsetsOfRewrittenCodeAreThoseOfTheSameOperator(t *testing.T) {
	t.Parallel()
	probed, covered, both := conformance, conformance, conformance
	probed.Probes, covered.Coverage, both.Probes, both.Coverage = true, true, true, true
	seen := map[byte]int{}
	modules := map[string][]byte{}
	for seed := range uint64(40) {
		modules[fmt.Sprintf("seed %d", seed)] = assemble(t, generate(seed))
	}
	for _, k := range kernels {
		modules[k.name] = assemble(t, kernelModule(k.text, "i32"))
		modules[k.name+", 64 bits"] = assemble(t, kernelModule(k.text, "i64"))
	}
	for module, raw := range modules { // in any order, and the forms, too
		for form, options := range map[string]Options{"plain": conformance, "probes": probed, "coverage": covered, "both": both} {
			checkOffsets(t, module+", "+form, raw, options, seen)
		}
	}
	for _, op := range []byte{0x2d, 0x3a, opCallIndirect, 0x6e, 0x6f, opCall, opUnreachable} {
		if seen[op] < 100 {
			t.Errorf("only %d operators %#x were seen", seen[op], op)
		}
	}
}

// checkOffsets compares each operator of the rewritten code with that of its offset, and looks for every original one.
func checkOffsets(t *testing.T, name string, raw []byte, options Options, seen map[byte]int) {
	t.Helper()
	m, err := Rewrite(raw, options)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	offsets, err := m.Locate(raw, options)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	base := codeSection(m.Binary)
	originals, rewritten := located(t, raw), located(t, m.Binary)
	injected := injectedFunctions(options.Probes)
	for i, operators := range originals {
		found := map[int]bool{} // the original operators that are there again
		for _, at := range rewritten[i] {
			original, ok := offsets.Original(uint32(at - base))
			if !ok || !slices.Contains(operators, int(original)) {
				t.Fatalf("%s: function %d: the operator at %#x comes from %#x, which is none (%t)", name, i, at, original, ok)
			}
			have, want := m.Binary[at], raw[original]
			own := have == opCall && isOwn(m, at, uint32(len(originals)), injected)
			if fails(have) && have != want || have == opCall && !own && want != opCall {
				t.Fatalf("%s: function %d: operator %#x at %#x comes from %#x at %#x", name, i, have, at, want, original)
			}
			if have == want && !own {
				found[int(original)] = true
			}
		}
		for _, at := range operators {
			if op := raw[at]; fails(op) || op == opCall || op == opUnreachable {
				seen[op]++
				if !found[at] {
					t.Fatalf("%s: function %d: operator %#x at %#x is nowhere", name, i, op, at)
				}
			}
		}
	}
	for i := range rewritten {
		for _, at := range rewritten[i] {
			if original, ok := offsets.Original(uint32(at - base)); ok != (i < len(originals)) {
				t.Fatalf("%s: function %d of %d: the operator at %#x comes from %#x (%t)", name, i, len(originals), at, original, ok)
			}
		}
	}
}

// isOwn reports whether the call at an offset is of a function that the pass has added.
func isOwn(m *Module, at int, local, injected uint32) bool {
	r := &reader{data: m.Binary, pos: at + 1}
	callee, imported := r.u32(), m.Functions-local
	return callee >= imported && callee < imported+injected || callee >= m.Functions+injected
}

func TestACheckBelongsToTheFirstOperatorOfItsFunctionOrLoop(t *testing.T) {
	raw := assemble(t, `(module (func (export "f") (local i32) (loop local.get 0 i32.const 1 i32.add local.tee 0 br_if 0)))`)
	m, err := Rewrite(raw, conformance)
	if err != nil {
		t.Fatal(err)
	}
	offsets, err := m.Locate(raw, conformance)
	if err != nil {
		t.Fatal(err)
	}
	base := codeSection(m.Binary)
	first := slices.Min(located(t, raw)[0])
	checks := 0
	for _, at := range located(t, m.Binary)[0] {
		if original, _ := offsets.Original(uint32(at - base)); m.Binary[at] == opCall {
			checks++
			if int(original) != first || raw[original] != opLoop {
				t.Errorf("the check at %#x belongs to the operator at %#x, want %#x", at, original, first)
			}
		}
	}
	if checks != 2 {
		t.Errorf("the function makes %d calls, want one at its entry and one in its loop", checks)
	}
}

func TestAModuleIsNotLocatedInTheBytesOfAnother(t *testing.T) {
	m, err := Rewrite(assemble(t, generate(1)), conformance)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Locate(assemble(t, generate(2)), conformance); err == nil {
		t.Error("the offsets of another module are given")
	}
	if _, err := m.Locate([]byte("x"), conformance); err == nil {
		t.Error("the offsets of no module are given")
	}
}
