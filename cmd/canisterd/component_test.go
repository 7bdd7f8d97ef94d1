package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestAProgramThatIsInterruptedDoesNotFail(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errOut bytes.Buffer
	code := run(ctx, []string{"component", "run", "../../component/testdata/wasi/timers.wasm"}, &out, &errOut)
	if code != exitInterrupted || errOut.String() != "error: interrupted\n" {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errOut.String())
	}
}

// ranComponent runs a command of components.
func ranComponent(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), append([]string{"component"}, args...), &stdout, &stderr)
	return code, stdout.String() + stderr.String()
}

// zipped writes a file that is packed by gzip.
func zipped(t *testing.T, path, content string) {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(content))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, packed.String())
}

func TestCommandsOfComponentsTakeFilesPackedByGzip(t *testing.T) {
	dir := t.TempDir()
	greeter, till, counter := filepath.Join(dir, "greeter.gz"), filepath.Join(dir, "till.gz"), filepath.Join(dir, "counter.gz")
	zipped(t, greeter, mustRead(t, "../../component/testdata/valid/greeter.wasm"))
	zipped(t, till, mustRead(t, "../../canister/internal/components/testdata/till.wasm"))
	zipped(t, counter, mustRead(t, "../../test/canistertest/fixtures/counter.wasm"))
	damaged := filepath.Join(dir, "damaged.gz")
	writeFile(t, damaged, mustRead(t, greeter)[:100])
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"run", greeter, `greet("Ada")`}, exitOK, `"Hello, Ada"`},
		{[]string{"wit", greeter}, exitOK, "export greet: func(name: string) -> string;"},
		{[]string{"link", till, filepath.Join(dir, "till.wasm")}, exitOK, "imports only ic0"},
		{[]string{"wit", damaged}, exitFailed, damaged + " is a damaged gzip file: unexpected EOF"},
		{[]string{"run", damaged, "greet()"}, exitFailed, damaged + " is a damaged gzip file: unexpected EOF"},
		{[]string{"link", counter, filepath.Join(dir, "none.wasm")}, exitFailed, "canisterd canister install takes the module of a canister as it is"},
	} {
		if code, out := ranComponent(t, c.args...); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d, %s, want %d and %s", c.args, code, out, c.code, c.want)
		}
	}
}

func TestALinkedModuleDoesNotReplaceItsComponent(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeFile(t, "till.wasm", "a component")
	outs := []string{"till.wasm", "./till.wasm", filepath.Join(dir, "till.wasm")}
	if runtime.GOOS != "windows" { // links need a privilege there
		if err := errors.Join(os.Link("till.wasm", "hard.wasm"), os.Symlink("till.wasm", "soft.wasm")); err != nil {
			t.Fatal(err)
		}
		outs = append(outs, "hard.wasm", "soft.wasm")
	}
	for _, out := range outs {
		code, text := ranComponent(t, "link", "till.wasm", out)
		if want := "OUT " + out + " is the file of the component"; code != exitFailed || !strings.Contains(text, want) {
			t.Errorf("link till.wasm %s: exit code %d, %s, want %s", out, code, text, want)
		}
	}
	if text := mustRead(t, "till.wasm"); text != "a component" {
		t.Errorf("the component is %q", text)
	}
}
