//go:build clients

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/canisterd/canisterd/internal/eventually"
)

// daemon is a canisterd process that listens on a port of its own.
type daemon struct {
	binary string
	url    string
	first  string // first canister id of an application subnet
	log    *lines
	cmd    *exec.Cmd
}

// lines is what a process wrote to stderr, shown where a test fails.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestMain removes the binary after all tests.
func TestMain(m *testing.M) {
	code := m.Run()
	if err := os.RemoveAll(binaryFolder); err != nil {
		fmt.Fprintln(os.Stderr, "removing the binary:", err)
		code = 1
	}
	os.Exit(code)
}

// binaryFolder has the static binary; empty until a test needs it.
var binaryFolder string

// build makes the static binary once for all tests.
var build = sync.OnceValues(func() (string, error) {
	var err error
	if binaryFolder, err = os.MkdirTemp("", "canisterd-e2e-"); err != nil {
		return "", err
	}
	binary := filepath.Join(binaryFolder, "canisterd")
	cmd := exec.Command("go", "build", "-o", binary, "../../cmd/canisterd")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building canisterd: %w\n%s", err, out)
	}
	return binary, nil
})

// start runs the binary and waits for the line that says where it listens.
func start(t testing.TB, args ...string) *daemon {
	t.Helper()
	return startWithin(t, nil, args...)
}

// startWithin is start by a command that takes the one to run as arguments.
func startWithin(t testing.TB, around []string, args ...string) *daemon {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{binary: binary, log: &lines{}}
	args = slices.Concat(around, []string{binary, "start", "--listen", "127.0.0.1:0", "--json"}, args)
	if !slices.Contains(args, "--state-dir") {
		args = append(args, "--ephemeral")
	}
	d.cmd = exec.Command(args[0], args[1:]...)
	d.cmd.Stderr = d.log
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.stop(t) })
	var ready struct {
		URL     string `json:"url"`
		Subnets []struct {
			Kind  string `json:"kind"`
			First string `json:"first_canister"`
		} `json:"subnets"`
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil || len(ready.Subnets) == 0 {
		t.Fatalf("the daemon did not say where it listens: %v\n%s\n%s", err, line, d.log)
	}
	d.url = ready.URL
	for _, s := range ready.Subnets {
		if s.Kind == "application" {
			d.first = s.First
		}
	}
	return d
}

func (d *daemon) stop(t testing.TB) {
	t.Helper()
	if d.cmd.ProcessState != nil {
		return
	}
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	done := make(chan error, 1)
	go func() { done <- d.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("the daemon ended with %v\n%s", err, d.log)
		}
	case <-time.After(eventually.Limit):
		_ = d.cmd.Process.Kill()
		t.Errorf("the daemon did not stop within %s\n%s", eventually.Limit, d.log)
	}
	if t.Failed() {
		t.Logf("the daemon's log:\n%s", d.log)
	}
}

// command runs a command of the binary against the daemon and gives its stdout.
func (d *daemon) command(t *testing.T, args ...string) string {
	t.Helper()
	out, err := d.try(args...)
	if err != nil {
		t.Fatalf("canisterd %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func (d *daemon) try(args ...string) (string, error) {
	cmd := exec.Command(d.binary, append([]string{"--url", d.url}, args...)...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%w\n%s", err, errOut.String())
	}
	return strings.TrimSpace(out.String()), nil
}

func fixture(name string) string {
	return filepath.Join("..", "canistertest", "fixtures", name+".wasm")
}
