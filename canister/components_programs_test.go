//go:build components

package canister_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

const (
	programs = "../component/testdata/programs"
	adapter  = "wasi_snapshot_preview1=node_modules/@bytecodealliance/jco/lib/wasi_snapshot_preview1.reactor.wasm"
)

// builtProgram gives the component that commands make, in the folder of the programs, at the path in place of OUT in their arguments.
func builtProgram(t *testing.T, commands ...[]string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.wasm")
	for _, words := range commands {
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "OUT", out)
		}
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...) //nolint:gosec // commands of this file
		cmd.Dir = programs
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, text)
		}
	}
	binary, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// adapted are the commands that make a component of a module with WASI preview 1.
func adapted(compile ...string) [][]string {
	tools := os.Getenv("CANISTERD_WASM_TOOLS")
	return [][]string{
		compile,
		{tools, "component", "embed", "counter.wit", "OUT.core", "--output", "OUT.embedded"},
		{tools, "component", "new", "OUT.embedded", "--adapt", adapter, "--output", "OUT"},
	}
}

func javaScript(disabled string) []string {
	return []string{"node", "componentize.mjs", "OUT", "counter", disabled}
}

func python(world string) []string {
	return []string{
		os.Getenv("CANISTERD_COMPONENTIZE_PY"), "-d", "../../../canister/internal/components/wit", "-d", world + ".wit",
		"-w", "example:" + world + "/" + world, "componentize", world, "-o", "OUT",
	}
}

// counter is a component of counter.wit as a canister.
type counter struct {
	t      *testing.T
	place  *canistertest.Place
	module *canister.Module
	c      *canister.Canister
	logged uint64
	log    strings.Builder
}

func (p *counter) call(method, args, want string) {
	p.t.Helper()
	if got := called(p.t, p.place, p.c, interfaceOf(p.t, p.module), method, args); !strings.Contains(got, want) {
		p.t.Fatalf("%s%.40s: got %s, want %s", method, args, got, want)
	}
	p.logged = sayLog(&p.log, p.c, p.logged)
}

// counts installs a component of counter.wit and checks what it does: what a message that traps did is undone, and an upgrade
// begins with a new memory. It checks what the program printed, if it can.
func counts(t *testing.T, binary []byte, prints bool) {
	t.Helper()
	place := canistertest.NewPlace(t)
	p := &counter{t: t, place: place, module: place.Module(binary)}
	p.c = place.Canister(p.module, nil)
	p.call("add", "(2)", "(2 : nat32)")
	p.call("add", "(3)", "(5 : nat32)")
	p.call("fail", "(10)", "trapped")
	p.call("add", "(0)", "(5 : nat32)")
	p.call("words", `("to be or not to be")`, `(vec { record { "be"; 2 : nat32 }; record { "not"; 1 : nat32 }; record { "or"; 1 : nat32 }; record { "to"; 2 : nat32 } })`)
	// What a call allocates is free after it, and the memory of the runtime is not among it.
	for n := range 200 {
		p.call("words", fmt.Sprintf("(%q)", strings.Repeat("ha ", 2000)+fmt.Sprint(n)), `record { "ha"; 2_000 : nat32 }`)
	}
	for _, line := range []string{`"total 2"`, `"total 5"`, `"total 15"`} {
		if has := strings.Contains(p.log.String(), line); has != prints {
			t.Errorf("the log has the line %s: %v, want %v\n%s", line, has, prints, p.log.String())
		}
	}
	in := canister.Install{Mode: canister.Upgrade, Module: p.module, Caller: canistertest.Controller}
	if out := p.c.Install(&place.Subnet, &in); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	p.call("add", "(1)", "(1 : nat32)")
	linked, err := canister.LinkComponent(binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a component of %d bytes, a module of %d bytes", len(binary), len(linked))
}

func refused(t *testing.T, binary []byte, want string) {
	t.Helper()
	if _, err := canister.LinkComponent(binary); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a component of %d bytes: %v, want a text with %q", len(binary), err, want)
	}
}

func TestAComponentInCIsACanister(t *testing.T) {
	counts(t, builtProgram(t, adapted("clang-14", "--target=wasm32-wasi", "-mexec-model=reactor", "-O2", "-Wall", "-Wextra", "-Werror", "-o", "OUT.core", "counter.c")...), true)
}

func TestAComponentInRustIsACanister(t *testing.T) {
	counts(t, builtProgram(t, adapted("/usr/bin/rustc", "--edition", "2021", "--target", "wasm32-wasi", "--crate-type", "cdylib", "-O", "-o", "OUT.core", "counter.rs")...), true)
}

func TestAComponentInJavaScriptIsACanister(t *testing.T) {
	counts(t, builtProgram(t, javaScript("http,fetch-event")), true)
}

func TestAComponentInJavaScriptWithoutWASIIsACanister(t *testing.T) {
	counts(t, builtProgram(t, javaScript("random,stdio,clocks,http,fetch-event")), false)
}

func TestAComponentInJavaScriptWithHTTPIsRefused(t *testing.T) {
	refused(t, builtProgram(t, javaScript("")), "a canister has no network: build it without wasi:http")
}

func TestAComponentInPythonIsACanister(t *testing.T) {
	counts(t, builtProgram(t, python("counter")), true)
}

// TestAComponentInPythonCallsOtherCanisters calls a function that makes two calls at the same time, of the bank with an empty
// principal, which is an empty list.
func TestAComponentInPythonCallsOtherCanisters(t *testing.T) {
	p := newCallerOf(t, builtProgram(t, python("relay")))
	for command, want := range map[string]string{"reply": "\x02\x00\x00\x00", "reject": "\x00\x00\x00\x00"} {
		for _, step := range []string{"call " + command + ` deposit_each (principal "aaaaa-aa", vec {5; 6})`, command + " " + command} {
			if err := p.Perform(step); err != nil {
				t.Fatal(err)
			}
		}
		result := "DIDL\x00\x01y" + want
		if got, want := p.Said(), fmt.Sprintf("%[1]s: waits, open calls: 2\n%[1]s: %[2]q\n", command, result); got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
	var log strings.Builder
	sayLog(&log, p.c, 0)
	if !strings.Contains(log.String(), `"5: IC0502: no deposits"`) || !strings.Contains(log.String(), `"6: IC0502: no deposits"`) {
		t.Errorf("the log is\n%s", log.String())
	}
}
