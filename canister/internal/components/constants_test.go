package components_test

import (
	"bytes"
	"testing"

	"github.com/canisterd/canisterd/canister/internal/components"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/canister/internal/wasmfile"
)

// TestGlobalsThatNoFunctionAssignsAreImmutable links a core module with four mutable globals. Its functions assign one each: the
// first is exported, the second is in a table, nothing refers to the third, and no function assigns the fourth global.
func TestGlobalsThatNoFunctionAssignsAreImmutable(t *testing.T) {
	assign := func(global byte) string {
		return block(string([]byte{0, wasmfile.OpI32Const, 7, wasmfile.OpGlobalSet, global, wasmfile.OpEnd}))
	}
	content := section(wasmfile.SectionType, vector("\x60\x00\x00")) + section(wasmfile.SectionFunction, repeated(3, "\x00")) +
		section(wasmfile.SectionTable, vector("\x70\x00\x01")) + section(wasmfile.SectionGlobal, repeated(4, "\x7f\x01\x41\x05\x0b")) +
		section(wasmfile.SectionExport, vector(block("f")+"\x00\x00")) +
		section(wasmfile.SectionElement, vector("\x00\x41\x00\x0b"+vector("\x01"))) +
		section(wasmfile.SectionCode, vector(assign(0), assign(1), assign(2)))
	linked, err := components.Link(componentOf(section(sectionCoreModule, wasmfile.Header+content), instancesOf(0, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rewrite.Rewrite(linked, rewrite.Options{Conformance: true}); err != nil {
		t.Fatal(err)
	}
	m := wasmfile.Parse(linked)
	for i, mutable := range []byte{1, 1, 0, 0} {
		if want := []byte{0x7f, mutable, 0x41, 5, 0x0b}; !bytes.Equal(m.Globals[i], want) {
			t.Errorf("global %d is %x, want %x", i, m.Globals[i], want)
		}
	}
	for i, want := range []string{assign(0), assign(1), block("\x00\x00\x0b")} {
		if !bytes.Equal(m.Bodies[i], []byte(want[1:])) {
			t.Errorf("function %d is %x, want %x", i, m.Bodies[i], want[1:])
		}
	}
}
