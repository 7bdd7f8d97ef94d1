//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/test/canistertest"
)

// TestAStartWithFewDescriptorsSaysWhatToDo starts a daemon that has several instances in processes that may open few
// files. An instance that cannot be opened must not be reported as damaged, and must not be lost.
func TestAStartWithFewDescriptorsSaysWhatToDo(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{"one", "two", "three", "four"}
	d, expect := startKept(t, keptState)
	for _, name := range names {
		expect(exitOK, name, "instance", "create", name)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	refused, served := 0, 0
	for limit := 12; limit <= 64; limit += 4 {
		ready, text := startWithin(t, limit)
		switch {
		case ready && strings.Contains(text, "is left out"):
			served++
		case !ready:
			refused++
		}
		for line := range strings.Lines(text) {
			if strings.Contains(line, "too many open files") && !strings.Contains(line, "raise the limit (ulimit -n)") || strings.Contains(line, "damaged") || strings.Contains(line, "goroutine ") {
				t.Errorf("with %d descriptors: %s", limit, line)
			}
		}
		if !ready && !strings.Contains(text, "raise the limit (ulimit -n)") {
			t.Errorf("with %d descriptors, the daemon ends with: %s", limit, text)
		}
	}
	if refused == 0 || served == 0 {
		t.Errorf("%d starts failed and %d left instances out, want some of both", refused, served)
	}
	_, expect = startKept(t, keptState)
	for _, name := range names {
		expect(exitOK, name, "instance", "show", name)
	}
}

// startWithin starts a daemon with a limit of descriptors, stops it once it is ready, and returns its standard error.
func startWithin(t *testing.T, limit int) (ready bool, text string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(eventually.Context(t))
	defer end()
	cmd := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, limit), self,
		"start", "--state-dir", keptState, "--listen", "127.0.0.1:0", "--cache-dir", canistertest.CacheDir(t))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Env = append(os.Environ(), asCommand+"=1", "GOCOVERDIR="+t.TempDir())
	var notes bytes.Buffer
	said := make(chan string, 1)
	cmd.Stdout, cmd.Stderr = &heard{Writer: new(bytes.Buffer), until: "ready; stop with", said: said}, &notes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-said:
		ready = true
		end()
		<-ended
	case <-ended:
	}
	return ready, notes.String()
}
