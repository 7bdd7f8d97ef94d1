//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/canisterd/canisterd/internal/eventually"
)

func TestAProcessThatATestLeavesBehindIsKilled(t *testing.T) {
	tester, err := newTester(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "held")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	held := make(chan error, 1)
	go func() { // a read of the pipe ends when no process has it open any more
		said, err := os.ReadFile(pipe)
		if err == nil && string(said) != "left\n" {
			err = fmt.Errorf("the process says %q", said)
		}
		held <- err
	}()
	const left = `exec 3>"$0"; echo left >&3; sleep 600 >/dev/null 2>&1 &`
	if out, err := tester.command(t.Context(), "sh", "-c", left, pipe); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := eventually.Receive(t, "the end of the process that was left behind", held); err != nil {
		t.Error(err)
	}
}
