package canisterd_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

func TestARejectHasTheFileAndTheLineOfEachFunction(t *testing.T) {
	ic := canisterd.New(t)
	panics := ic.Deploy("test/canistertest/fixtures/panics.wasm")
	var reply canisterd.Bytes
	err := panics.Call(t.Context(), "withdraw", canisterd.Bytes("four"), canisterd.Into(&reply))
	var reject *canisterd.Reject
	if !errors.As(err, &reject) || len(reject.Backtrace) != 6 {
		t.Fatalf("it fails with %v", err)
	}
	for i, want := range []canisterd.Frame{
		{Function: "rust_begin_unwind", File: "panics.rs", Line: 48},
		{Function: "core::panicking::panic_fmt", File: "/rustc/library/core/src/panicking.rs", Line: 142},
		{Function: "panics::panics::account::Account::check", File: "panics/account.rs", Line: 15},
		{Function: "panics::panics::account::Account::withdraw", File: "panics/account.rs", Line: 8},
		{Function: "canister_update withdraw", File: "panics.rs", Line: 23},
		{Function: "withdraw"},
	} {
		if want.Canister = panics.ID(); reject.Backtrace[i] != want {
			t.Errorf("frame %d is %+v, want %+v", i, reject.Backtrace[i], want)
		}
	}
	if strings.Contains(reject.Message, ".rs") || !strings.Contains(err.Error(), "Account::check in "+panics.ID().String()+" (panics/account.rs:15)\n") {
		t.Errorf("the message is %q, the error %q", reject.Message, err)
	}
	err = panics.Query(t.Context(), "peek", canisterd.Bytes(nil), canisterd.Into(&reply))
	if !errors.As(err, &reject) || len(reject.Backtrace) != 3 || reject.Backtrace[1].File != "panics.rs" || reject.Backtrace[1].Line != 30 {
		t.Errorf("the query fails with %v", err)
	}
}

func TestTheSourceMapOfAModuleNamesTheLineOfATrap(t *testing.T) {
	ic := canisterd.New(t)
	module := wat.MustAssemble(`(module (func $pay (export "canister_update pay") unreachable))`)
	mappings := "AAMA" + strings.Repeat(",CAAA", len(module)-1) // each byte is of line 7
	sourceMap := filepath.Join(t.TempDir(), "bank.wasm.map")
	if err := os.WriteFile(sourceMap, []byte(`{"version": 3, "sources": ["bank.mo"], "names": [], "mappings": "`+mappings+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	bank := ic.DeployModule(module, canisterd.SourceMap(sourceMap))
	err := bank.Call(t.Context(), "pay")
	var reject *canisterd.Reject
	if !errors.As(err, &reject) || len(reject.Backtrace) == 0 || reject.Backtrace[0].File != "bank.mo" || reject.Backtrace[0].Line != 7 {
		t.Errorf("the call fails with %v, want a frame at bank.mo:7", err)
	}
}

func TestASourceMapOfAnotherBuildBesideTheModuleIsLeftOut(t *testing.T) {
	ic, folder := canisterd.New(t), t.TempDir()
	write := func(name string, content []byte) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	module := wat.MustAssemble(`(module (func $pay (export "canister_update pay") nop unreachable))`) // no other test has it
	path := write("bank.wasm", module)
	stale := write("bank.wasm.map", []byte(`{"version": 3, "sources": ["bank.mo"], "names": [], "mappings": "AAAA,+////BAAA"}`))
	bank := ic.Deploy(path)
	var reject *canisterd.Reject
	if err := bank.Call(t.Context(), "pay"); !errors.As(err, &reject) || len(reject.Backtrace) == 0 || reject.Backtrace[0].File != "" {
		t.Errorf("the call fails with %v, want a frame without a line", err)
	}
	ic.DeployProject(folder)
	if err := bank.Upgrade(t.Context(), path, canisterd.SourceMap(stale)); err == nil || !strings.Contains(err.Error(), "so it is of another build") {
		t.Errorf("with that map, an upgrade fails with %v", err)
	}
}

func TestADebugFileNamesTheLinesOfAModuleThatWasStripped(t *testing.T) {
	ic := canisterd.New(t)
	const built = "test/canistertest/fixtures/panics.wasm"
	whole, err := os.ReadFile(built)
	if err != nil {
		t.Fatal(err)
	}
	stripped := withoutDebugSections(t, whole)
	panics := ic.DeployModule(stripped, canisterd.DebugFile(built))
	err = panics.Query(t.Context(), "peek", canisterd.Bytes(nil), canisterd.Into(new(canisterd.Bytes)))
	var reject *canisterd.Reject
	if !errors.As(err, &reject) || len(reject.Backtrace) != 3 || reject.Backtrace[1].File != "panics.rs" || reject.Backtrace[1].Line != 30 {
		t.Errorf("the query fails with %v, want a frame at panics.rs:30", err)
	}
}

// withoutDebugSections returns a module without its custom sections .debug_*.
func withoutDebugSections(t *testing.T, module []byte) []byte {
	t.Helper()
	const header, custom = 8, 0
	out := slices.Clone(module[:header])
	for rest := module[header:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		end := 1 + n + int(size)
		_, k := binary.Uvarint(rest[1+n:])
		if rest[0] != custom || !bytes.HasPrefix(rest[1+n+k:end], []byte(".debug_")) {
			out = append(out, rest[:end]...)
		}
		rest = rest[end:]
	}
	if len(out) == len(module) {
		t.Fatal("the module has no debug information")
	}
	return out
}
