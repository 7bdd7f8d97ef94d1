//go:build components

package wasi

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/component"
)

const sources = "../testdata/programs"

// built gives a component that commands make at the path that is in place of OUT in their arguments.
func built(t *testing.T, commands ...*exec.Cmd) *component.Component {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.wasm")
	for _, cmd := range commands {
		for i, arg := range cmd.Args {
			cmd.Args[i] = strings.ReplaceAll(arg, "OUT", out)
		}
		cmd.Dir = sources
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
		}
	}
	binary, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	c, err := component.Compile(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	t.Logf("%d bytes", len(binary))
	return c
}

// greets checks a component of greeter.wit.
func greets(t *testing.T, c *component.Component) {
	t.Helper()
	h := New(Options{Stderr: os.Stderr})
	i, err := h.Instantiate(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ who, times, want any }{
		{[]any{"Ada", uint8(36)}, none, success(component.Variant{Case: 0, Payload: "Hello, Ada"})},
		{[]any{"Zoë", uint8(1)}, component.Variant{Case: 1, Payload: uint32(2)}, success(component.Variant{Case: 1, Payload: []any{"Hello, Zoë", "Hello, Zoë"}})},
		{[]any{"", uint8(0)}, none, failure("a person without a name")},
	} {
		got, err := i.Call(t.Context(), "example:greeter/people#greet", test.who, test.times)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("greet(%v, %v) = %v, %v, want %v", test.who, test.times, got, err, test.want)
		}
	}
	drawn := func(seed byte) any {
		i, err := New(Options{Seed: [32]byte{seed}}).Instantiate(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		numbers, err := i.Call(t.Context(), "random-numbers", uint32(8))
		if err != nil {
			t.Fatal(err)
		}
		return numbers
	}
	if first, again, other := drawn(1), drawn(1), drawn(2); !reflect.DeepEqual(first, again) || reflect.DeepEqual(first, other) {
		t.Errorf("random numbers %v and %v of a seed, %v of another one", first, again, other)
	}
}

// waits checks a component of waiter.wit.
func waits(t *testing.T, c *component.Component) {
	t.Helper()
	h := New(Options{Stderr: os.Stderr})
	i, err := h.Instantiate(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := i.Call(t.Context(), "wait", "Ada", []any{uint32(3600), uint32(60)})
	if want := []any{"Ada waited 3600 of 3600 s", "Ada waited 60 of 60 s"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestAComponentInJavaScriptGreets(t *testing.T) {
	greets(t, built(t, exec.CommandContext(t.Context(), "node", "componentize.mjs", "OUT", "greeter")))
}

func TestAComponentInJavaScriptWaitsForSeveralTimesAtOnce(t *testing.T) {
	waits(t, built(t, exec.CommandContext(t.Context(), "node", "node_modules/componentize-qjs/cli.mjs", "--wit", "waiter.wit", "--js", "waiter.js", "-o", "OUT")))
}

// componentizePy makes a component of a module in Python and the world of its name.
func componentizePy(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	tool := os.Getenv("CANISTERD_COMPONENTIZE_PY")
	return exec.CommandContext(t.Context(), tool, "-d", name+".wit", "-w", name, "componentize", name, "-o", "OUT") //nolint:gosec // the tool that the Makefile installed
}

func TestAComponentInPythonGreets(t *testing.T) {
	greets(t, built(t, componentizePy(t, "greeter")))
}

func TestAComponentInPythonWaitsForSeveralTimesAtOnce(t *testing.T) {
	waits(t, built(t, componentizePy(t, "waiter")))
}

func TestAProgramInGoIsAComponentWithAnAdapter(t *testing.T) {
	const adapter = "node_modules/@bytecodealliance/jco/lib/wasi_snapshot_preview1.command.wasm"
	compile := exec.CommandContext(t.Context(), "go", "build", "-o", "OUT.core", "./go")
	compile.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	c := built(t, compile, exec.CommandContext(t.Context(), os.Getenv("CANISTERD_WASM_TOOLS"), "component", "new", "OUT.core", "--adapt", "wasi_snapshot_preview1="+adapter, "-o", "OUT")) //nolint:gosec // the tool that the Makefile installed
	var out strings.Builder
	h := New(Options{
		Args: []string{"clerk", "one", "two"}, Environment: []string{"NAME=input"}, Stdin: strings.NewReader("first\nsecond\n"),
		Stdout: &out, Stderr: &out,
	})
	i, err := h.Instantiate(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	code, err := Run(t.Context(), i, Command(c))
	// The adapter knows two exit codes.
	want := "input: \"first\"\ninput: \"second\"\n[one two] 2h0m0s open /etc/passwd: Bad file number\n"
	if err != nil || code != 1 || out.String() != want {
		t.Errorf("code %d, %v, %q, want %q", code, err, out.String(), want)
	}
}
