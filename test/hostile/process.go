package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a daemon that was started for one attack.
type process struct {
	cmd    *exec.Cmd
	url    string
	log    *stderrReader
	ended  chan struct{} // closed when it has ended
	result error         // good once ended is closed
}

// launch says how a daemon is started.
type launch struct {
	descriptors int  // ulimit -n; 0 for the machine's
	disk        bool // memories of canisters are files on the disk
}

// startProcess starts the binary and waits for the line that says where it listens.
func startProcess(ctx context.Context, o *options, dir string, l launch) (*process, error) {
	args := []string{o.binary, "start", "--listen", "127.0.0.1:0", "--json", "--cache-dir", filepath.Join(dir, "cache")}
	if knowsFlag(ctx, o.binary, "--ephemeral") {
		args = append(args, "--ephemeral")
	}
	if knowsFlag(ctx, o.binary, "--memory-limit") {
		args = append(args, "--memory-limit", strconv.Itoa(memoryLimit>>20)+"MiB")
	}
	if l.descriptors > 0 {
		args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$@"`, l.descriptors), "sh"}, args...)
	}
	p, line, err := begin(ctx, o, args)
	if err != nil {
		return nil, err
	}
	var ready struct {
		URL string `json:"url"`
	}
	select {
	case text := <-line:
		err = json.Unmarshal([]byte(text), &ready)
	case <-time.After(readyTimeout):
		err = fmt.Errorf("it says nothing for %s", readyTimeout)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("the daemon does not say where it listens: %w\n%s", err, p.log.tail())
	}
	p.url = ready.URL
	return p, nil
}

// begin starts a process. line gives the first line that it writes to standard output, "" if it ends without one.
func begin(ctx context.Context, o *options, args []string, env ...string) (p *process, line <-chan string, err error) {
	p = &process{cmd: exec.CommandContext(context.WithoutCancel(ctx), args[0], args[1:]...), log: &stderrReader{show: o.verbose}, ended: make(chan struct{})}
	p.cmd.Env = append(append(os.Environ(), "GODEBUG=gctrace=1"), env...)
	p.cmd.Stderr = p.log
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("starting the daemon: %w", err)
	}
	first := make(chan string, 1)
	go func() {
		reader := bufio.NewReader(out)
		text, _ := reader.ReadString('\n') // an empty line is no answer to anything
		first <- text
		_, _ = io.Copy(io.Discard, reader)
		p.result = p.cmd.Wait()
		close(p.ended)
	}()
	return p, first, nil
}

// knowsFlag reports whether this build of the daemon has a flag of canisterd start.
func knowsFlag(ctx context.Context, binary, name string) bool {
	out, err := exec.CommandContext(ctx, binary, "start", "--help").CombinedOutput()
	return err == nil && strings.Contains(string(out), name+" ")
}

const (
	// stopTimeout is how long the daemon has to end after SIGTERM.
	stopTimeout = 15 * time.Second
	// readyTimeout is how long the daemon has to start.
	readyTimeout = 15 * time.Second
)

// alive reports whether the daemon still runs.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// stop ends the daemon as a user would, and says what went wrong.
func (p *process) stop() error {
	if !p.alive() {
		return fmt.Errorf("the daemon ended: %w\n%s", errors.Join(p.result, errors.New("its last words")), p.log.tail())
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		p.kill()
		return fmt.Errorf("the daemon did not stop within %s of SIGTERM", stopTimeout)
	}
	if p.result != nil {
		return fmt.Errorf("the daemon ended with %w\n%s", p.result, p.log.tail())
	}
	return nil
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// stderrReader keeps the end of what the daemon writes and the longest pause of its
// garbage collector.
type stderrReader struct {
	show bool

	// mu guards what follows.
	mu    sync.Mutex
	rest  []byte // the line that is still being read
	lines []string
	pause time.Duration // longest since resetPause
}

// keptLines is how many lines of the daemon's log an error shows.
const keptLines = 30

func (s *stderrReader) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = append(s.rest, text...)
	for {
		line, rest, found := strings.Cut(string(s.rest), "\n")
		if !found {
			return len(text), nil
		}
		s.rest = []byte(rest)
		if pause, ok := parseGCTrace(line); ok {
			s.pause = max(s.pause, pause)
			continue
		}
		if s.show {
			fmt.Fprintln(os.Stderr, line)
		}
		s.lines = append(s.lines, line)
		if len(s.lines) > keptLines {
			s.lines = s.lines[1:]
		}
	}
}

func (s *stderrReader) tail() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}

func (s *stderrReader) resetPause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause = 0
}

func (s *stderrReader) longestPause() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pause
}

// parseGCTrace gives the longer of the two pauses of a collection from its line of
// GODEBUG=gctrace=1: "gc 3 @0.1s 2%: 0.02+0.4+0.01 ms clock, ...". The first and the
// third number are the time the world stood still, the wait for running threads included.
func parseGCTrace(line string) (pause time.Duration, ok bool) {
	if !strings.HasPrefix(line, "gc ") {
		return 0, false
	}
	_, after, _ := strings.Cut(line, "%: ")
	clock, _, found := strings.Cut(after, " ms clock")
	parts := strings.Split(clock, "+")
	if !found || len(parts) != 3 {
		return 0, false
	}
	for _, part := range []string{parts[0], parts[2]} {
		ms, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0, false
		}
		pause = max(pause, time.Duration(ms*float64(time.Millisecond)))
	}
	return pause, true
}
