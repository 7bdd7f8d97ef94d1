package components_test

import (
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister/internal/components"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/internal/golden"
)

func read(t testing.TB, path string) []byte {
	t.Helper()
	binary, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// TestComponentsThatCannotBeCanistersAreRefusedWithTheReason links the components of the tests of package component.
func TestComponentsThatCannotBeCanistersAreRefusedWithTheReason(t *testing.T) {
	for file, want := range map[string]string{
		"refused/hidden-record": "func not valid to be used as import",
		"valid/accounts":        "contains components that call each other",
		"valid/builtins":        "imports later, which no canister has: it can import functions of ic:canister alone",
		"valid/desk":            "a function has a type with a stream, which canisters cannot send",
		"valid/memories":        "has more than one memory",
		"valid/parked":          "contains components that call each other",
		"valid/races":           "function flag#wait waits on a stack of its own",
		"valid/shapes":          "exports canvas-out#draw, which it imports",
		"valid/traps":           "has strings that are not in UTF-8",
		"valid/wrapped":         "uses thread.new-indirect",
		"wasi/clerk":            "imports wasi:http/types@0.2.12, and a canister has no network",
		"wasi/tally":            "imports wasi:clocks/monotonic-clock@0.3.0, and a canister has version 0.2 of WASI",
	} {
		notLinked(t, "../../../component/testdata/"+file+".wasm", want)
	}
	notLinked(t, "testdata/exported-resource.wasm", "a function has a type with an owned resource, which canisters cannot send")
}

func notLinked(t *testing.T, file, want string) {
	t.Helper()
	if _, err := components.Link(read(t, file)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want a text with %q", file, err, want)
	}
}

// TestTheLinkerKnowsTheFunctionsOfItsPackage imports and exports all that the WIT package has.
func TestTheLinkerKnowsTheFunctionsOfItsPackage(t *testing.T) {
	imported := components.ImportedFunctions(t, "testdata/till.wasm")
	functions := strings.Count(string(read(t, "wit/canister.wit")), "func(")
	const exported = 4 // of installation and timer-handler
	if len(imported) != functions-exported {
		t.Errorf("the test component imports %d functions, and the package has %d", len(imported), functions-exported)
	}
}

func TestTheInterfaceOfAComponentIsWrittenInCandid(t *testing.T) {
	linked, err := components.Link(read(t, "testdata/till.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(linked), "icp:public candid:service")
	text, _, _ := strings.Cut(after, "}\n\x00")
	golden.Compare(t, "testdata/till.did", text+"}\n")
}

// TestDamagedComponentsAreRefused changes bytes of a component. The code of core modules is not validated before it is linked.
func TestDamagedComponentsAreRefused(t *testing.T) {
	whole := read(t, "testdata/tasks.wasm")
	refused := 0
	for at := len(components.Header); at < len(whole); at += 5 {
		for _, with := range []byte{1, 0x7f} {
			damaged := append([]byte(nil), whole...)
			damaged[at] = with
			linked, err := components.Link(damaged)
			if err == nil {
				_, err = rewrite.Rewrite(linked, rewrite.Options{Conformance: true})
			}
			if err != nil {
				refused++
			}
		}
	}
	if refused < len(whole)/5 {
		t.Errorf("%d damaged components are refused: the test is weak", refused)
	}
}

// FuzzLink looks for components that end the linker, or whose modules end the rewriter. Core code that is not valid is
// refused by the latter.
func FuzzLink(f *testing.F) {
	f.Add(read(f, "testdata/tasks.wasm"))
	f.Add(read(f, "testdata/starts.wasm"))
	f.Add(read(f, "testdata/pipes.wasm"))
	f.Add(read(f, "testdata/ends.wasm"))
	f.Fuzz(func(_ *testing.T, binary []byte) {
		if linked, err := components.Link(binary); err == nil {
			_, _ = rewrite.Rewrite(linked, rewrite.Options{Conformance: true})
		}
	})
}
