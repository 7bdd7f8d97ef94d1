//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

var (
	devEdits = flag.Int("edits", 200, "random edits of TestRandomEditsLoseNoStateAndNoSave")
	devSeed  = flag.Uint64("edits-seed", 1, "seed of these edits")
)

// editionModule is a canister that keeps the number of its calls in stable memory, and says its edition and that number.
// Its upgrade traps if a last function says so.
const editionModule = `(module
  (import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
  (import "ic0" "msg_reply" (func $reply))
  (import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
  (import "ic0" "stable64_read" (func $read (param i64 i64 i64)))
  (import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
  (memory 1)
  (data (i32.const 0) "DIDL\00\02\78\78%s")
  (func $load (call $read (i64.const 16) (i64.const 0) (i64.const 8)))
  (func $say (call $append (i32.const 0) (i32.const 24)) (call $reply))
  (func (export "canister_init") (drop (call $grow (i64.const 1))))
  (func (export "canister_query about") (call $load) (call $say))
  (func (export "canister_update add")
    (call $load)
    (i64.store (i32.const 16) (i64.add (i64.load (i32.const 16)) (i64.const 1)))
    (call $write (i64.const 0) (i64.const 16) (i64.const 8))
    (call $say))
  %s)`

// talker is a canister with a method that logs a line and traps.
func talker() string {
	return string(wat.MustAssemble(`(module
		(import "ic0" "debug_print" (func $print (param i32 i32)))
		(memory 1) (data (i32.const 0) "a line")
		(func (export "canister_update speak") (call $print (i32.const 0) (i32.const 6)) unreachable))`))
}

// editor edits the sources of a project while canisterd dev runs.
type editor struct {
	*testing.T
	random  *rand.Rand
	folder  string
	state   string // directory
	flags   []string
	dev     *background
	url     string
	edition uint64 // the last one of which there is a module
	current string // what the source says
	calls   uint64 // that were answered
}

// next makes a module of the next edition, and returns its name. The build copies the module that the source names.
func (e *editor) next(kind, extra string) string {
	e.edition++
	name := fmt.Sprint(kind, e.edition)
	writeFile(e.T, filepath.Join(e.folder, "modules", name+".wasm"), string(editionOf(e.edition, extra)))
	return name
}

// editionOf returns an edition of editionModule.
func editionOf(edition uint64, extra string) []byte {
	var constant strings.Builder
	for _, b := range binary.LittleEndian.AppendUint64(nil, edition) {
		fmt.Fprintf(&constant, "\\%02x", b)
	}
	return wat.MustAssemble(fmt.Sprintf(editionModule, constant.String(), extra))
}

func (e *editor) good() string { return e.next("", "") }

func (e *editor) trapping() string {
	return e.next("trapping", `(func (export "canister_post_upgrade") unreachable)`)
}

// save writes the source in one of the ways in which editors do.
func (e *editor) save(text string) {
	e.Helper()
	path := filepath.Join(e.folder, "src", "edition")
	switch e.random.IntN(4) {
	case 0:
		writeFile(e.T, path, text)
	case 1: // half first
		writeFile(e.T, path, "")
		writeFile(e.T, path, text[:len(text)/2])
		writeFile(e.T, path, text)
	case 2:
		writeFile(e.T, path+".new", text)
		e.must(os.Rename(path+".new", path))
	case 3:
		e.must(os.Rename(path, path+"~"))
		writeFile(e.T, path, text)
	}
	e.current = text
}

func (e *editor) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// start starts canisterd dev and waits until it is ready, whatever became of the canister.
func (e *editor) start() {
	e.Helper()
	self, err := os.Executable()
	e.must(err)
	d := &background{ended: make(chan error, 1), written: make(chan struct{}, 1)}
	d.cmd = exec.Command(self, append([]string{"dev", e.folder}, e.flags...)...)
	d.cmd.Env = append(os.Environ(), asCommand+"=1")
	d.cmd.Stdout, d.cmd.Stderr = d, d
	e.must(d.cmd.Start())
	go func() { d.ended <- d.cmd.Wait() }()
	e.dev = d
	e.Cleanup(func() { _ = d.cmd.Process.Kill() })
	e.wait("dev is ready", func() bool { return strings.Contains(d.text(), "\nready ") })
	e.url = listening.FindStringSubmatch(d.text())[1]
}

// wait waits for a condition of the program, unless it has ended.
func (e *editor) wait(what string, condition func() bool) {
	e.Helper()
	eventually.True(e.T, what, func() bool {
		select {
		case err := <-e.dev.ended:
			e.Fatalf("dev ended (%v) after\n%s", err, e.dev.text())
		default:
		}
		return condition()
	})
}

// end ends canisterd dev by a signal.
func (e *editor) end(signal syscall.Signal) {
	e.Helper()
	e.must(e.dev.cmd.Process.Signal(signal))
	err := eventually.Receive(e.T, "the end of dev", e.dev.ended)
	if signal == syscall.SIGINT && (err != nil || strings.Contains(e.dev.text(), "state     kept in ") != strings.Contains(e.dev.text(), "stopping; canisters and their state are kept in "+e.state)) {
		e.Fatalf("dev ended with %v after\n%s", err, e.dev.text())
	}
}

// about returns what a canister says, or why it says nothing.
func (e *editor) about(command, canister, method string) string {
	var out, errOut bytes.Buffer
	if run(eventually.Context(e.T), []string{"--url", e.url, "canister", command, canister, method}, &out, &errOut) != exitOK {
		return errOut.String()
	}
	return strings.TrimSpace(out.String())
}

// settle saves a good edition if the source is none, and waits until the canister runs it and has its state.
func (e *editor) settle() {
	e.Helper()
	if e.current != fmt.Sprint(e.edition) {
		e.save(e.good())
	}
	want := fmt.Sprintf("(%s : nat64, %d : nat64)", e.current, e.calls)
	last := ""
	defer func() {
		if e.Failed() {
			e.Logf("it says %s, want %s; dev printed\n%s", last, want, e.dev.text())
		}
	}()
	e.wait("the canister runs "+want, func() bool {
		last = e.about("query", "bank", "about")
		return last == want
	})
}

// call makes a call, which the canister counts whatever dev is doing.
func (e *editor) call() {
	e.Helper()
	if got := e.about("call", "bank", "add"); !strings.HasPrefix(got, "(") {
		e.Fatalf("a call: %s\n%s", got, e.dev.text())
	}
	e.calls++
}

// edit makes a random edit, or something else that happens while people edit.
func (e *editor) edit() {
	e.Helper()
	switch n := e.random.IntN(20); {
	case n < 6:
		e.save(e.good())
	case n < 8: // and back, perhaps while it is built
		before := e.current
		e.save(e.good())
		e.save(before)
	case n < 10:
		e.save("broken")
	case n < 12:
		e.save(e.trapping())
	case n < 14:
		extra := filepath.Join(e.folder, "src", "deep", fmt.Sprint(e.random.IntN(3)))
		if exists(extra) {
			e.must(os.RemoveAll(filepath.Dir(extra)))
		} else {
			writeFile(e.T, extra, "an unused source")
		}
	case n < 15:
		writeFile(e.T, filepath.Join(e.folder, "canisterd.yaml"), editedProject+fmt.Sprintf("    environment: {STAGE: '%d'}\n", e.edition))
	case n < 16:
		writeFile(e.T, filepath.Join(e.folder, "canisterd.yaml"), "canisters: {half")
		writeFile(e.T, filepath.Join(e.folder, "canisterd.yaml"), editedProject)
	case n < 17: // something else replaces the module
		writeFile(e.T, filepath.Join(e.folder, "bank.wasm"), "half a module")
	case n < 18:
		e.end(syscall.SIGKILL)
		e.save(e.good())
		e.start()
	case n < 19:
		e.end(syscall.SIGINT)
		e.start()
	default:
		e.settle()
	}
	if e.random.IntN(2) == 0 {
		e.call()
	}
}

const editedProject = "canisters:\n  bank:\n    build: cp modules/$(cat src/edition).wasm bank.wasm\n    wasm: bank.wasm\n    sources: [src]\n"

// newEditor returns an editor of a new project, for a user with a home of their own.
func newEditor(t *testing.T) *editor {
	t.Helper()
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	canistertest.UseCacheHome(t)
	for _, name := range []string{"CANISTERD_URL", "CANISTERD_CONTROL", "CANISTERD_INSTANCE", "CANISTERD_IDENTITY", "CANISTERD_AS"} {
		t.Setenv(name, "")
	}
	e := &editor{T: t, random: rand.New(rand.NewPCG(*devSeed, 0)), folder: t.TempDir(), state: filepath.Join(t.TempDir(), "state")}
	e.flags = []string{"--listen", "127.0.0.1:0", "--state-dir", e.state}
	t.Chdir(e.folder)
	writeFile(t, filepath.Join(e.folder, "canisterd.yaml"), editedProject)
	writeFile(t, filepath.Join(e.folder, "src", "edition"), "")
	e.save(e.good())
	return e
}

func TestRandomEditsLoseNoStateAndNoSave(t *testing.T) {
	e := newEditor(t)
	e.start()
	e.settle()
	for range *devEdits {
		e.edit()
	}
	e.settle()
	e.end(syscall.SIGINT)
	e.start()
	e.settle()
	e.end(syscall.SIGINT)
}
