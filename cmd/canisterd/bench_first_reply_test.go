//go:build unix && firsthour

package main

import (
	"bufio"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/canisterd/canisterd/test/bench/ratio"
)

// BenchmarkRatioFirstReply is the time from make run in a clone to the reply of the first call; the floor is go build of
// the binary alone. Both begin with no cache but that of modules, and make run compiles no package twice.
func BenchmarkRatioFirstReply(b *testing.B) {
	root, err := filepath.Abs(repository)
	if err != nil {
		b.Fatal(err)
	}
	keepCaches(b)
	clone := cloneOf(b, root)
	var measured, floor time.Duration
	for b.Loop() {
		floor += buildAlone(b, clone)
		measured += firstReply(b, clone)
	}
	ratio.Report(b, 1.2, float64(measured)/float64(b.N), float64(floor)/float64(b.N))
}

// buildAlone is how long go build takes, with an empty build cache.
func buildAlone(b *testing.B, clone string) time.Duration {
	b.Helper()
	b.Setenv("GOCACHE", b.TempDir())
	begin := time.Now()
	build := exec.Command("go", "build", "-o", filepath.Join(b.TempDir(), "canisterd"), "./cmd/canisterd")
	build.Dir = clone
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return time.Since(begin)
}

// firstReply is how long make run takes until it prints the first reply, with empty caches.
func firstReply(b *testing.B, clone string) time.Duration {
	b.Helper()
	for _, name := range []string{"GOCACHE", "HOME", "XDG_CACHE_HOME"} {
		b.Setenv(name, b.TempDir())
	}
	begin := time.Now()
	run := exec.Command("make", "run", "FLAGS=--listen 127.0.0.1:0")
	run.Dir, run.SysProcAttr = clone, &syscall.SysProcAttr{Setpgid: true}
	lines := outputOf(b, run)
	compiled := map[string]bool{}
	for lines.Scan() {
		line := lines.Text()
		if packagePath.MatchString(line) && compiled[line] {
			b.Errorf("%s is compiled twice", line)
		}
		compiled[line] = true
		if strings.Contains(line, "the greeter says: Hello, world!") {
			break
		}
	}
	took := time.Since(begin)
	_ = syscall.Kill(-run.Process.Pid, syscall.SIGINT) // it has ended if it failed
	for lines.Scan() {
		compiled[lines.Text()] = true
	}
	_ = run.Wait() // make ends by the signal
	if !compiled[`("the greeter says: Hello, world!")`] {
		b.Fatalf("make run printed no reply, but %q", slices.Sorted(maps.Keys(compiled)))
	}
	again := exec.Command("go", "build", "-v", "-o", "bin/canisterd", "./cmd/canisterd")
	again.Dir = clone
	if out, err := again.CombinedOutput(); err != nil || len(out) > 0 {
		b.Errorf("after make run, go build -v compiles again (%v):\n%s", err, out)
	}
	return took
}

// packagePath is a line of go build -v.
var packagePath = regexp.MustCompile(`^[a-z][\w.-]*(/[\w.-]+)*$`)

// outputOf starts a command and reads all that it prints.
func outputOf(b *testing.B, cmd *exec.Cmd) *bufio.Scanner {
	b.Helper()
	read, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return bufio.NewScanner(read)
}
