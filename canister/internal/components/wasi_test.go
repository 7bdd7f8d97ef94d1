package components

import (
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/component"
)

// ImportedFunctions returns the names of the functions that the core modules of a component import from its host.
func ImportedFunctions(t *testing.T, path string) map[string]bool {
	t.Helper()
	binary, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	linking, err := component.Link(binary)
	if err != nil {
		t.Fatal(err)
	}
	imported := map[string]bool{}
	for _, m := range linking.Modules {
		for _, item := range m.Imports {
			if item.Canon != nil && item.Canon.Func != nil {
				imported[item.Canon.Func.Import] = true
			}
		}
	}
	return imported
}

// TestTheTestComponentImportsAllFunctionsOfWASI makes sure that the scripts of package canister can call each.
func TestTheTestComponentImportsAllFunctionsOfWASI(t *testing.T) {
	imported := map[string]bool{}
	for name := range ImportedFunctions(t, "testdata/clerk.wasm") {
		short, _ := ofWASI(name)
		imported[short] = true
	}
	for name := range wasiFunctions {
		if !imported[name] {
			t.Errorf("clerk.wasm does not import %s", name)
		}
	}
}

func TestVersionsOfWASIAreMatchedAndOthersRefused(t *testing.T) {
	for name, want := range map[string]string{
		"wasi:clocks/wall-clock@0.2.0#now":                     "",
		"wasi:clocks/wall-clock@0.2.12#now":                    "",
		"wasi:clocks/wall-clock@0.2.3+build#now":               "",
		"wasi:logging/logging#log":                             "",
		"wasi:logging/logging@0.1.0-draft#log":                 "",
		"wasi:logging/logging@1.0.0#log":                       "has version 0.1.0-draft of it",
		"wasi:clocks/wall-clock@0.3.0#now":                     "imports wasi:clocks/wall-clock@0.3.0, and a canister has version 0.2 of WASI",
		"wasi:clocks/wall-clock@0.2.0-rc-2023-11-10#now":       "has version 0.2 of WASI",
		"wasi:clocks/wall-clock@0.20.0#now":                    "has version 0.2 of WASI",
		"wasi:clocks/wall-clock#now":                           "has version 0.2 of WASI",
		"wasi:http/outgoing-handler@0.2.0#handle":              "a canister has no network: build it without wasi:http",
		"wasi:sockets/instance-network@0.2.0#instance-network": "",
		"wasi:sockets/tcp@0.3.0#[static]tcp-socket.create":     "has version 0.2 of WASI",
	} {
		func() {
			defer func() {
				err, _ := recover().(error)
				if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want a text with %q", name, err, want)
				}
			}()
			ofWASI(name)
		}()
	}
}
