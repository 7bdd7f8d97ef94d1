//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
)

// reader runs the commands of a page in a clone of the repository.
type reader struct {
	t          *testing.T
	repository string
	clone      string // folder with what pages need of the repository; empty until a page needs one
	copied     map[string]bool
	recording  string // folder with a program that stands for canisterd where commands are only checked; empty until one is
	folder     string // that cd has led to, from the clone
	built      bool   // make builds canisterd in the clone; otherwise this program stands for it
	running    *background
	shownUntil int // how much of its output the page has shown
}

// newReader returns a reader that makes its clone when a page needs it.
func newReader(t *testing.T) *reader {
	t.Helper()
	return &reader{t: t, repository: mustAbs(t, repository), copied: map[string]bool{}}
}

// forPages are files of the repository that the commands of pages read, by what stands in each such page. Each file that
// is created costs time, so a clone has only those of its pages.
var forPages = map[string][]string{
	"make run":                 {"Makefile", "proto/tools.mk", "examples/motoko/*"},
	"examples/motoko":          {"examples/motoko/*"},
	"examples/doublewithdraw":  {"examples/doublewithdraw/*"},
	"upgrades/02-array-to-var": {"examples/upgrades/02-array-to-var/*"},
	"asyncbugs/invariants":     {"examples/asyncbugs/shared/*", "examples/asyncbugs/invariants/*/*"},
	"testdata/keys":            {"cmd/canisterd/testdata/keys/*"},
	"component/testdata":       {"component/testdata/valid/greeter.wasm", "component/testdata/valid/streams.wasm", "component/testdata/wasi/clerk.wasm"},
	"components/testdata":      {"canister/internal/components/testdata/till.wasm"},
}

// makesFiles is the beginning of a block that needs a clone.
var makesFiles = regexp.MustCompile("(?m)^```(console$|\\S+ file=)")

// prepare makes the clone, unless it is there, and copies what the commands of a page read.
func (r *reader) prepare(page string) {
	r.t.Helper()
	if r.built || !makesFiles.MatchString(page) {
		return
	}
	if r.clone == "" {
		r.makeClone()
	}
	for name, patterns := range forPages {
		if strings.Contains(page, name) {
			r.copyFiles(patterns...)
		}
	}
}

// copyFiles copies files of the repository into the clone, each once: pages change them.
func (r *reader) copyFiles(patterns ...string) {
	r.t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(r.repository, pattern))
		if err != nil || len(files) == 0 {
			r.t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && !r.copied[file] {
				writeFile(r.t, filepath.Join(r.clone, strings.TrimPrefix(file, r.repository)), mustRead(r.t, file))
				r.copied[file] = true
			}
		}
	}
}

// writeProgram writes a script that can be run.
func writeProgram(t *testing.T, path, script string) {
	t.Helper()
	writeFile(t, path, script)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// makeClone makes a clone without examples, with a daemon beside it for pages that start none.
func (r *reader) makeClone() {
	r.t.Helper()
	prepare(r.t)
	r.clone = os.Getenv("HERE")
	if err := os.MkdirAll("test", 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(r.repository, "test/canistertest"), "test/canistertest"); err != nil {
		r.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	writeProgram(r.t, "bin/canisterd", "#!/bin/sh\n"+asCommand+"=1 exec '"+self+"' \"$@\"\n")
	r.t.Setenv("PATH", filepath.Join(r.clone, "bin")+":"+os.Getenv("PATH"))
	r.t.Setenv("GOCOVERDIR", r.t.TempDir())
	r.t.Setenv("CANISTERD_ALLOW_OUTSIDE", "1") // files of the clone are links to those of the repository
}

var (
	// assigns is a command that sets a variable.
	assigns = regexp.MustCompile(`(?s)^(?:export )?([A-Za-z_]\w*)=(.*)$`)
	// plain is a command of canisterd for which no shell is needed.
	plain = regexp.MustCompile(`^canisterd( [^|&;<>$` + "`" + `"\\*]*|'[^']*')*$`)
)

// run runs a command and gives what it prints, on standard output and standard error, with its exit code if it failed.
func (r *reader) run(command string) string {
	if folder, is := strings.CutPrefix(command, "cd "); is {
		r.t.Chdir(folder)
		here, err := os.Getwd()
		if err != nil {
			r.t.Fatal(err)
		}
		if r.folder, err = filepath.Rel(r.clone, here); err != nil {
			r.t.Fatal(err)
		}
		return ""
	}
	if parts := assigns.FindStringSubmatch(command); parts != nil {
		value := strings.TrimSuffix(r.shell("exec 2>/dev/null\necho "+parts[2]), "\n")
		r.t.Setenv(parts[1], value)
		return ""
	}
	if plain.MatchString(command) && !r.built {
		return r.inProcess(command)
	}
	return r.shell(command)
}

// inProcess runs canisterd in this process.
func (r *reader) inProcess(command string) string {
	var out bytes.Buffer
	code := run(eventually.Context(r.t), fields(r.t, strings.TrimPrefix(command, "canisterd")), &out, &out)
	return withCode(out.String(), code)
}

// shell runs a command in sh.
func (r *reader) shell(command string) string {
	cmd := exec.CommandContext(eventually.Context(r.t), "sh", "-c", command)
	printed, err := os.Create(filepath.Join(r.t.TempDir(), "printed")) // a pipe would wait for programs that the command leaves behind
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = printed.Close() }()
	cmd.Stdout, cmd.Stderr = printed, printed
	err = cmd.Run()
	if cmd.ProcessState == nil {
		r.t.Fatalf("%s: %v", command, err)
	}
	out, err := os.ReadFile(printed.Name())
	if err != nil {
		r.t.Fatal(err)
	}
	return withCode(string(out), cmd.ProcessState.ExitCode())
}

// withCode is what a command has printed, with its exit code if it failed.
func withCode(text string, code int) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if code != exitOK {
		text += fmt.Sprintf("(exit %d)\n", code)
	}
	return text
}

// shown is what a command has printed, where the daemon has its usual port and the clone is in the usual place.
func (r *reader) shown(text string) string {
	text = strings.ReplaceAll(text, os.Getenv("CANISTERD_URL"), defaultURL)
	text = strings.ReplaceAll(text, strings.TrimPrefix(os.Getenv("CANISTERD_URL"), "http://"), strings.TrimPrefix(defaultURL, "http://"))
	text = strings.ReplaceAll(text, r.clone, "~/canisterd")
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(text, "")
}

// background is a daemon that a page has started, in a shell of its own.
type background struct {
	cmd     *exec.Cmd
	ended   chan error
	written chan struct{} // something was printed
	lock    sync.Mutex
	printed bytes.Buffer // under the lock
}

// starts reports whether a command is that of a daemon, which goes on until it is stopped.
func (r *reader) starts(command string) bool {
	return command == "make run" || strings.HasPrefix(command, "canisterd start") || strings.HasPrefix(command, "canisterd dev")
}

// serve starts a daemon at a free port and waits until it has printed what the page says.
func (r *reader) serve(s step) {
	command := s.command + " --listen 127.0.0.1:0"
	if s.command == "make run" {
		command = "make --silent --assume-old=build run FLAGS='--listen 127.0.0.1:0'"
		if r.built {
			command = "make run FLAGS='--listen 127.0.0.1:0'"
		}
	}
	d := &background{cmd: exec.Command("sh", "-c", "exec "+command), ended: make(chan error, 1), written: make(chan struct{}, 1)}
	d.cmd.Stdout, d.cmd.Stderr = d, d
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := d.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { d.interrupt(r.t) })
	go func() { d.ended <- d.cmd.Wait() }()
	r.running, r.shownUntil = d, 0
	r.await(s)
}

// printed waits until a program that the page has started has printed lines, after those that the page has shown.
func (r *reader) printed(command, text string) error {
	if r.running == nil || !strings.Contains(r.running.cmd.String(), command) {
		return fmt.Errorf("the page does not start %s", command)
	}
	r.await(step{command, text})
	return nil
}

// await waits until the program in the background has printed what the page says.
func (r *reader) await(s step) {
	d, patient := r.running, eventually.Context(r.t)
	if r.built {
		patient = r.t.Context() // the build takes as long as it takes
	}
	for {
		printed := d.text()
		text := withoutLog(printed[r.shownUntil:])
		if at := listening.FindStringSubmatch(text); at != nil {
			r.t.Setenv("CANISTERD_URL", at[1])
		}
		if matches(s.output, r.shown(text)) {
			r.shownUntil = len(printed)
			return
		}
		select {
		case <-d.written:
		case err := <-d.ended:
			d.ended <- err
			r.t.Fatalf("$ %s\nended (%v) after\n%s", s.command, err, d.text())
		case <-patient.Done():
			r.t.Fatalf("$ %s\nprints\n%s, and the page says\n%s", s.command, r.shown(text), s.output)
		}
	}
}

// withoutLog returns the output of a daemon without the lines of its log.
func withoutLog(text string) string { return logLines.ReplaceAllString(text, "") }

// logLines are the lines of a daemon's log.
var logLines = regexp.MustCompile(`(?m)^time=\S+ level=.*\n`)

// listening is the line of a daemon's output that says where it listens.
var listening = regexp.MustCompile(`(?m)^http +(http://\S+)`)

// Write keeps what a daemon prints.
func (d *background) Write(p []byte) (int, error) {
	d.lock.Lock()
	defer d.lock.Unlock()
	select {
	case d.written <- struct{}{}:
	default:
	}
	return d.printed.Write(p)
}

func (d *background) text() string {
	d.lock.Lock()
	defer d.lock.Unlock()
	return d.printed.String()
}

// interrupt ends a daemon as Ctrl-C does, unless the page has stopped it, and checks that it ends without an error.
func (d *background) interrupt(t *testing.T) {
	const last = "stopping; canisters and their state are "
	if !strings.Contains(d.text(), last) { // a second signal would end it at once
		_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGINT) // it may have ended
	}
	err := <-d.ended
	// make ends by the signal itself, as shells expect, or with status 2 if the signal comes while it waits for the daemon
	// ("wait: No child processes"). It prints an "Error" for a daemon that ends with one.
	var by *exec.ExitError
	byMake := errors.As(err, &by) && strings.Contains(d.cmd.String(), "make ")
	if err != nil && !byMake {
		t.Errorf("it ended with %v", err)
	}
	if text := d.text(); !strings.Contains(text, last) || strings.Contains(text, "Error") {
		t.Errorf("it ended with these lines:\n%s", text)
	}
}
