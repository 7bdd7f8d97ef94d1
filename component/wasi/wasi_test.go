package wasi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/canisterd/canisterd/component"
)

// programs are the programs of ../testdata, without a folder those of its folder wasi, which ../testdata/rust.sh and make.sh make. They are compiled once.
var programs sync.Map

func compiled(t testing.TB, name string) *component.Component {
	t.Helper()
	if filepath.Base(name) == name {
		name = "wasi/" + name
	}
	if c, ok := programs.Load(name); ok {
		return c.(*component.Component)
	}
	binary, err := os.ReadFile("../testdata/" + name + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	c, err := component.Compile(context.Background(), binary)
	if err != nil {
		t.Fatal(err)
	}
	programs.Store(name, c)
	return c
}

// run runs a program and gives its output and how it ended.
func run(t testing.TB, name string, o Options) string {
	t.Helper()
	c := compiled(t, name)
	var out bytes.Buffer
	if o.Stdout == nil {
		o.Stdout = &out
	}
	o.Stderr = &out
	h := New(o)
	i, err := h.Instantiate(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = i.Close(context.Background()) }()
	code, err := Run(t.Context(), i, Command(c))
	if err != nil {
		return out.String() + err.Error()
	}
	return fmt.Sprintf("%sexit code %d", out.String(), code)
}

func TestAProgramInRustFindsWhatItsHostSupplies(t *testing.T) {
	start := time.Unix(1_600_000_000, 0)
	for what, want := range map[string]string{
		"greet":  `["clerk", "greet"] [("HOME", "/home/ada"), ("EMPTY", "")]` + "\nexit code 0",
		"shout":  "NO\nCHANGE\nexit code 0",
		"wait":   "[1] after 3600 s, from 1600000000 to 1600003600\nboth after 7200 s\nexit code 0",
		"files":  "0 directories\nexit code 0",
		"socket": "access-denied\nexit code 0",
		"fetch":  "wasm trap: wasi:http/types@0.2.12#[constructor]fields: refused: this host has no network",
		"log":    "warn: till: no change\ninfo: closed\nexit code 0",
		"exit":   "exit code 7",
		"fail":   "nothing works\nexit code 1",
	} {
		got := run(t, "clerk", Options{
			Args: []string{"clerk", what}, Environment: []string{"HOME=/home/ada", "EMPTY="},
			Stdin: strings.NewReader("no\nchange\n"), Start: start,
		})
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
		}
	}
}

func TestAnAsynchronousProgramWaitsForSeveralTimesOnTheVirtualClock(t *testing.T) {
	got := run(t, "timers", Options{Args: []string{"timers"}, Stdin: strings.NewReader("streams\n")})
	want := "STREAMS\nthe slow one waited 7200 s\nthe fast one waited 60 s\nOk(()) after 7200 s, 12432809566553409497\nexit code 0"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The program is ../testdata/c.
func TestCallsOfAComponentInCWaitBesideOneAnother(t *testing.T) {
	h := New(Options{})
	i, err := h.Instantiate(t.Context(), compiled(t, "tally"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = i.Close(context.Background()) }()
	slow, err := i.Start(t.Context(), "alarm", uint64(3000))
	if err != nil {
		t.Fatal(err)
	}
	fast, err := i.Start(t.Context(), "alarm", uint64(1000))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := slow.Wait(t.Context()); err != nil || got != uint64(3000) || !fast.Done() {
		t.Errorf("the slow one: %v, %v, and the fast one is done: %t", got, err, fast.Done())
	}
	if got, err := fast.Wait(t.Context()); err != nil || got != uint64(1000) {
		t.Errorf("the fast one: %v, %v", got, err)
	}
	if got, err := i.Call(t.Context(), "join", []any{"a", "ü", ""}, ", "); err != nil || got != "a, ü, " {
		t.Errorf("join: %v, %v", got, err)
	}
	if got, err := i.Call(t.Context(), "total", []any{uint32(1), uint32(1<<32 - 1)}); err != nil || got != uint64(1<<32) {
		t.Errorf("total: %v, %v", got, err)
	}
}

func TestRandomNumbersAreThoseOfTheSeed(t *testing.T) {
	draw := func(seed byte) string {
		return run(t, "clerk", Options{Args: []string{"clerk", "random"}, Seed: [32]byte{seed}})
	}
	if first, again := draw(1), draw(1); first != again || !strings.HasSuffix(first, "exit code 0") {
		t.Errorf("the same seed gives %s and %s", first, again)
	}
	if first, other := draw(1), draw(2); first == other {
		t.Errorf("two seeds give %s", first)
	}
}

// brokenPipe fails to read and to write.
type brokenPipe struct{}

var errBroken = errors.New("the pipe broke")

func (brokenPipe) Read([]byte) (int, error)  { return 0, errBroken }
func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

func TestErrorsOfStandardStreamsAreErrorsOfThePrograms(t *testing.T) {
	got := run(t, "timers", Options{Args: []string{"timers"}, Stdin: brokenPipe{}})
	if want := "Err(ErrorCode::Io)"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	got = run(t, "timers", Options{Args: []string{"timers"}, Stdout: brokenPipe{}})
	if want := "exit code 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	got = run(t, "clerk", Options{Args: []string{"clerk", "shout"}, Stdin: brokenPipe{}})
	if want := "wasm trap: unreachable"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAComponentThatDeclaresWASIDifferentlyIsRefused(t *testing.T) {
	for name, want := range map[string]string{
		"impostor-exit": "the component imports wasi:cli/exit@0.2.0#exit with parameters (string): those of WASI are (result)",
		"impostor-poll": "the component imports wasi:io/poll@0.2.0#poll with parameters (list<borrow<error>>): those of WASI are (list<borrow<pollable>>)",
	} {
		if _, err := New(Options{}).Instantiate(t.Context(), compiled(t, "valid/"+name), nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	c := compiled(t, "valid/impostor-run")
	i, err := New(Options{}).Instantiate(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), i, Command(c)); err == nil || err.Error() != "wasi:cli/run@0.2.0#run has another result than a program of WASI" {
		t.Errorf("a number as the result: %v", err)
	}
}
