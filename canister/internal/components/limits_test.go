package components_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/canister/internal/components"
	"github.com/canisterd/canisterd/canister/internal/wasmfile"
)

// The functions here write components of the binary format. Those of a test differ by a number.

const (
	sectionCoreModule   = 1
	sectionCoreInstance = 2
	sectionAlias        = 6
	sectionType         = 7
	sectionCanon        = 8
	sectionImport       = 10
	sectionExport       = 11
)

func number(n int) string { return string(wasmfile.AppendU32(nil, uint32(n))) }

func block(content string) string { return number(len(content)) + content }

func vector(items ...string) string { return number(len(items)) + strings.Join(items, "") }

func repeated(n int, item string) string { return number(n) + strings.Repeat(item, n) }

func section(code byte, content string) string { return string([]byte{code}) + block(content) }

func componentOf(sections ...string) []byte {
	return []byte(components.Header + strings.Join(sections, ""))
}

// emptyModule writes a core module that has bytes in a custom section: n in all.
func emptyModule(n int) string {
	const name = 2
	size := len(number(n - len(wasmfile.Header))) // bytes of the size of the section
	rest := n - len(wasmfile.Header) - 1 - size - name
	return section(sectionCoreModule, wasmfile.Header+section(wasmfile.SectionCustom, block("n")+strings.Repeat("x", rest)))
}

func instancesOf(module, n int) string {
	return section(sectionCoreInstance, repeated(n, "\x00"+number(module)+"\x00"))
}

// memoryModule writes a core module with a memory, a function without parameters and results, and a function with the type of
// allocators.
func memoryModule() string {
	const typ, function, memory, export, code = 1, 3, 5, 7, 10
	content := section(typ, vector("\x60\x00\x00", "\x60\x04\x7f\x7f\x7f\x7f\x01\x7f", "\x60\x01\x7f\x00")) + section(function, vector("\x00", "\x01", "\x02")) +
		section(memory, vector("\x00\x01")) +
		section(export, vector(block("f")+"\x00\x00", block("realloc")+"\x00\x01", block("g")+"\x00\x02", block("m")+"\x02\x00")) +
		section(code, vector(block("\x00\x0b"), block("\x00\x00\x0b"), block("\x00\x0b")))
	return section(sectionCoreModule, wasmfile.Header+content) + instancesOf(0, 1) + section(sectionAlias, vector(
		"\x00\x00\x01\x00"+block("f"), "\x00\x00\x01\x00"+block("realloc"), "\x00\x00\x01\x00"+block("g"), "\x00\x02\x01\x00"+block("m")))
}

// exporting writes a component that exports a function f with a parameter of the type u32 and a name.
func exporting(parameter string) []byte {
	return componentOf(memoryModule(), section(sectionType, vector("\x40"+vector(block(parameter)+"\x79")+"\x01\x00")),
		section(sectionCanon, vector("\x00\x00\x02\x00\x00")), section(sectionExport, vector("\x00"+block("f")+"\x01\x00\x00")))
}

// taking writes a component with a function that takes a list of a fixed length, and other parameters.
func taking(length int, others ...string) []byte {
	params := vector(append(others, block("a")+"\x00")...)
	return componentOf(memoryModule(), section(sectionType, vector("\x67\x7d"+number(length), "\x40"+params+"\x01\x00")),
		section(sectionCanon, vector("\x00\x00\x02"+vector("\x03\x00", "\x04\x01")+"\x01")), section(sectionExport, vector("\x00"+block("take")+"\x01\x00\x00")))
}

// returning writes a component with functions that return tuples of so many u8, none of which it exports.
func returning(tuples ...int) []byte {
	var types, canons, imports, supplied []string
	for i, n := range tuples {
		types = append(types, "\x6f"+repeated(n, "\x7d"))
		canons = append(canons, "\x09\x00"+number(i)+vector("\x03\x00"))
		imports = append(imports, "\x00"+block(fmt.Sprint(i))+"\x00\x00")
		supplied = append(supplied, block(fmt.Sprint(i))+"\x00"+number(3+i)) // after the functions of memoryModule
	}
	const typ, imported = 1, 2
	user := section(typ, vector("\x60\x01\x7f\x00")) + section(imported, vector(imports...))
	return componentOf(memoryModule(), section(sectionType, vector(types...)), section(sectionCanon, vector(canons...)),
		section(sectionCoreModule, wasmfile.Header+user),
		section(sectionCoreInstance, vector("\x01"+vector(supplied...), "\x00\x01"+vector("\x00\x12\x01"))))
}

// tables writes a component whose core module has tables.
func tables(elements ...int) []byte {
	var all []string
	for _, n := range elements {
		all = append(all, "\x70\x00"+number(n))
	}
	const table = 4
	return componentOf(section(sectionCoreModule, wasmfile.Header+section(table, vector(all...))), instancesOf(0, 1))
}

// A canister may have what is linked of a component at a limit.
func TestEachLimitIsTheLargestNumberThatIsLinked(t *testing.T) {
	const mib = 1 << 20
	full := func(n int) (tuples []int) { // 26 of 10,000 fields and less, and one that is not full
		for i := range 26 {
			tuples = append(tuples, 10_000-i)
		}
		return append(tuples, n)
	}
	interfaceBytes := func(n int) []byte {
		return exporting(strings.Repeat("a", n-len("service : {\n  f : ( : nat32) -> ();\n")))
	}
	for _, test := range []struct {
		name         string
		within, over []byte
		want         string
	}{
		{
			"instances of core modules", componentOf(emptyModule(1000), instancesOf(0, 100)), componentOf(emptyModule(1000), instancesOf(0, 101)),
			"the component makes 101 instances of core modules; one that is a canister makes at most 100",
		},
		{
			"bytes of core modules", componentOf(emptyModule(2*mib), emptyModule(2*mib), instancesOf(0, 49), instancesOf(1, 1)),
			componentOf(emptyModule(2*mib), emptyModule(2*mib+1), instancesOf(0, 49), instancesOf(1, 1)),
			"the core modules of the component have more than the limit of 104857600 bytes",
		},
		{
			"bytes of the interface", interfaceBytes(60 << 10), interfaceBytes(60<<10 + 1),
			"the interface of the component has more than the limit of 61440 bytes in Candid",
		},
		{
			"bytes of types", returning(full(2427)...), returning(full(2428)...),
			"the types of the component need more than the limit of 4194304 bytes",
		},
		{
			"bytes of a value", taking(1<<28 - 1), taking(1<<28-1, block("b")+"\x7f"),
			"a value of a function takes 268435456 bytes of memory, which is more than the limit of 268435455",
		},
		{
			"elements of tables", tables(999_996, 1), tables(999_997, 1),
			"the tables of the component have more than the limit of 999997 elements",
		},
	} {
		if _, err := canister.LinkComponent(test.within); err != nil {
			t.Errorf("%s at the limit: %v", test.name, err)
		}
		if _, err := canister.LinkComponent(test.over); err == nil || err.Error() != test.want {
			t.Errorf("%s above the limit: %v, want %s", test.name, err, test.want)
		}
	}
}

// logging writes a component that imports a function of ic:canister with another type: a tuple of so many u8.
func logging(fields int) []byte {
	const typ, imported = 1, 2
	user := section(typ, vector("\x60\x01\x7f\x00")) + section(imported, vector("\x00"+block("log")+"\x00\x00"))
	interfaceType := "\x42" + vector("\x01\x6f"+repeated(fields, "\x7d"), "\x01\x40"+vector(block("a")+"\x00")+"\x01\x00", "\x04\x00"+block("log")+"\x01\x01")
	return componentOf(memoryModule(), section(sectionType, vector(interfaceType)),
		section(sectionImport, vector("\x00"+block("ic:canister/canister@0.1.0")+"\x05\x00")), section(sectionAlias, vector("\x01\x00\x00"+block("log"))),
		section(sectionCanon, vector("\x01\x00\x00"+vector("\x03\x00"))), section(sectionCoreModule, wasmfile.Header+user),
		section(sectionCoreInstance, vector("\x01"+vector(block("log")+"\x00\x03"), "\x00\x01"+vector("\x00\x12\x01"))))
}

func TestTheTextOfALargeTypeIsCutAfterAKibibyte(t *testing.T) {
	whole := "(tuple<u8" + strings.Repeat(",u8", 338)
	for fields, want := range map[int]string{339: whole + ">)", 340: whole + ",u8>)", 341: whole + ",u8…)", 10_000: whole + ",u8…)"} {
		want = "ic:canister/canister@0.1.0#log has the type " + want + "; in a canister it is (string)"
		if _, err := components.Link(logging(fields)); err == nil || err.Error() != want {
			t.Errorf("%d fields: got %v, want %s", fields, err, want)
		}
	}
}
