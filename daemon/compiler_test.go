package daemon

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/test/canistertest"
)

// TestCompileWorkerProcess is the compile worker of the tests below.
func TestCompileWorkerProcess(t *testing.T) {
	if flag.NArg() == 0 {
		t.Skip("other tests run this one in a process of its own")
	}
	if err := CompileWorker(t.Context(), flag.Arg(0)); err != nil {
		t.Fatal(err)
	}
}

func testWorker() []string {
	return []string{os.Args[0], "-test.run=TestCompileWorkerProcess", "--"}
}

// endlessToCompile is a module that takes the compiler minutes: the rewriter refuses it.
func endlessToCompile() []byte {
	const n = 1000
	body := []byte{1, n&0x7f | 0x80, n >> 7, 0x7f}
	local := func(op byte, i int) { body = append(body, op, byte(i&0x7f|0x80), byte(i>>7)) }
	for range n {
		body = append(body, 0x03, 0x40)
	}
	for i := range n {
		local(0x20, i)
		body = append(body, 0x41, 1, 0x6a)
		local(0x21, i)
	}
	body = append(append(body, bytes.Repeat([]byte{0x20, 0, 0x0d, 0, 0x0b}, n)...), 0x0b)
	section := func(id byte, content []byte) []byte {
		size := len(content)
		return append([]byte{id, byte(size&0x7f | 0x80), byte(size>>7&0x7f | 0x80), byte(size >> 14)}, content...)
	}
	size := len(body)
	code := append([]byte{1, byte(size&0x7f | 0x80), byte(size>>7&0x7f | 0x80), byte(size >> 14)}, body...)
	module := append([]byte("\x00asm\x01\x00\x00\x00"), section(1, []byte{1, 0x60, 0, 0})...)
	return append(append(module, section(3, []byte{1, 0})...), section(10, code)...)
}

func TestAWorkerLeavesTheCompiledFormInItsFolder(t *testing.T) {
	dir := t.TempDir()
	worker := newCompileWorker(testWorker())
	if err := worker.compile(eventually.Context(t), dir, canistertest.Scriptable()); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "wazero-*", "*")); len(files) != 1 {
		t.Errorf("the folder has %q", files)
	}
	if err := worker.compile(eventually.Context(t), dir, []byte("no module")); err == nil {
		t.Error("compiled what is no module")
	}
}

func TestAWorkerIsKilledWhenNoCallerWaitsForIt(t *testing.T) {
	ctx, leave := context.WithCancel(eventually.Context(t))
	ended := make(chan error, 1)
	dir := t.TempDir()
	go func() { ended <- newCompileWorker(testWorker()).compile(ctx, dir, endlessToCompile()) }()
	eventually.True(t, "the folder of its cache, after which it compiles", func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "wazero-*"))
		return len(found) > 0
	})
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAWorkerEndsWithItsDaemon(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, workerModule), endlessToCompile(), 0o600); err != nil {
		t.Fatal(err)
	}
	command := append(testWorker(), dir)
	cmd := exec.CommandContext(eventually.Context(t), command[0], command[1:]...)
	alive, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := alive.Close(); err != nil { // as the system does when the daemon ends
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("the worker ended with %v", err)
	}
}

func TestALargeModuleIsInstalledThroughAWorker(t *testing.T) {
	witness := filepath.Join(t.TempDir(), "started")
	script := filepath.Join(t.TempDir(), "worker.sh")
	text := "#!/bin/sh\necho x >> " + witness + "\nexec \"$@\"\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	u := userOf(t, started(t, Config{CompileWorker: append([]string{script}, testWorker()...)}))
	target := u.deployWith(canistertest.Scriptable(), nil)
	if _, err := os.Stat(witness); err == nil {
		t.Error("a small module was compiled by a worker")
	}
	if _, err := u.Call(u.ctx, principal.Management, target, "install_code", u.reinstallation(target, large())); err != nil {
		t.Fatal(err)
	}
	// The module runs in fragments meanwhile.
	eventually.True(t, "a worker that compiles the large module", func() bool {
		_, err := os.Stat(witness)
		return err == nil
	})
}

func TestAModuleThatWouldTakeMinutesIsRefusedAtOnce(t *testing.T) {
	u := userOf(t, started(t, Config{}))
	target := u.deployWith(canistertest.Scriptable(), nil)
	_, err := u.Call(u.ctx, principal.Management, target, "install_code", u.reinstallation(target, endlessToCompile()))
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte("a function at index 0 with complexity 2000001 which exceeds the maximum complexity allowed 2000000")) {
		t.Errorf("got %v", err)
	}
}
