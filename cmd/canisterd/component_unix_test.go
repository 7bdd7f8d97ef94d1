//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

func TestASignalEndsAProgramThatWaitsForInput(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "component", "run", "../../component/testdata/wasi/clerk.wasm", "--", "shout")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if _, err := io.WriteString(in, "go"); err != nil {
		t.Fatal(err)
	}
	heard := make([]byte, len("GO"))
	if _, err := io.ReadFull(out, heard); err != nil || string(heard) != "GO" {
		t.Fatalf("the program wrote %q (%v)", heard, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the signal is the result
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %s", cmd.ProcessState)
	}
}
