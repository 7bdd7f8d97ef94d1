package wasi

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/component"
)

func TestVersionsAreMatchedBySemanticVersioning(t *testing.T) {
	known := New(Options{}).interfaces()
	for imported, want := range map[string]string{
		"wasi:cli/exit@0.2.0":                 "",
		"wasi:cli/exit@0.2.99":                "",
		"wasi:cli/exit@0.2.3+build.5":         "",
		"wasi:cli/exit@0.3.2":                 "",
		"wasi:clocks/system-clock@0.3.0":      "",
		"wasi:logging/logging":                "",
		"wasi:logging/logging@0.1.0-draft":    "",
		"wasi:http/outgoing-handler@0.2.4":    "",
		"wasi:sockets/types@0.3.0":            "",
		"wasi:clocks/timezone@0.2.1":          "",
		"wasi:cli/exit":                       "the component imports wasi:cli/exit, and this host has versions 0.2 and 0.3 of it",
		"wasi:cli/exit@0.1.0":                 "the component imports wasi:cli/exit@0.1.0, and this host has versions 0.2 and 0.3 of it",
		"wasi:cli/exit@0.3.0-rc-2025-09-16":   "the component imports wasi:cli/exit@0.3.0-rc-2025-09-16, and this host has versions 0.2 and 0.3 of it",
		"wasi:cli/exit@1.2.0":                 "the component imports wasi:cli/exit@1.2.0, and this host has versions 0.2 and 0.3 of it",
		"wasi:io/streams@0.3.0":               "the component imports wasi:io/streams@0.3.0, and this host has version 0.2 of it",
		"wasi:clocks/system-clock@0.2.0":      "the component imports wasi:clocks/system-clock@0.2.0, and this host has version 0.3 of it",
		"wasi:keyvalue/store@0.2.0":           "the component imports wasi:keyvalue/store@0.2.0, which this host does not have",
		"wasi:http/types@1.0.0":               "the component imports wasi:http/types@1.0.0, which this host does not have",
		"wasi:filesystem/preopens@0.2.0-rc.1": "the component imports wasi:filesystem/preopens@0.2.0-rc.1, and this host has versions 0.2 and 0.3 of it",
	} {
		_, err := fitting(known, imported)
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", imported, err, want)
		}
	}
}

// call calls a function of WASI 0.2.
func (h *Host) call(t testing.TB, name, function string, args ...any) (any, error) {
	t.Helper()
	f, ok := h.interfaces()[name]["0.2"][function].supplied.(component.Func)
	if !ok {
		t.Fatalf("%s has no function %s", name, function)
	}
	return f(t.Context(), args)
}

// gives calls a function of wasi:io/streams that must return a value.
func (h *Host) gives(t testing.TB, want any, function string, args ...any) {
	t.Helper()
	got, err := h.call(t, "wasi:io/streams", "[method]"+function, args...)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, %v, want %v", function, got, err, want)
	}
}

func TestStreamsFollowTheirSpecification(t *testing.T) {
	var out bytes.Buffer
	h := New(Options{Stdin: strings.NewReader("abcdefgh"), Stdout: &out})
	input, _ := h.call(t, "wasi:cli/stdin", "get-stdin")
	output, _ := h.call(t, "wasi:cli/stdout", "get-stdout")
	h.gives(t, success([]byte{}), "input-stream.read", input, uint64(0))
	h.gives(t, success([]byte("ab")), "input-stream.read", input, uint64(2))
	h.gives(t, success(uint64(1)), "input-stream.blocking-skip", input, uint64(1))
	h.gives(t, success(uint64(1<<20)), "output-stream.check-write", output)
	h.gives(t, success(uint64(3)), "output-stream.splice", output, input, uint64(3))
	h.gives(t, success(nil), "output-stream.write", output, []byte("!"))
	h.gives(t, success(nil), "output-stream.blocking-write-zeroes-and-flush", output, uint64(2))
	h.gives(t, success(nil), "output-stream.blocking-flush", output)
	h.gives(t, success([]byte("gh")), "input-stream.blocking-read", input, uint64(1<<40))
	h.gives(t, closed, "input-stream.blocking-read", input, uint64(1))
	h.gives(t, closed, "input-stream.skip", input, uint64(1))
	h.gives(t, closed, "output-stream.blocking-splice", output, input, uint64(1))
	if got := out.String(); got != "def!\x00\x00" {
		t.Errorf("the output is %q", got)
	}
	for function, arg := range map[string]any{
		"write": make([]byte, 1<<20+1), "blocking-write-and-flush": make([]byte, 4097),
		"write-zeroes": uint64(1<<20 + 1), "blocking-write-zeroes-and-flush": uint64(1 << 40),
	} {
		if _, err := h.call(t, "wasi:io/streams", "[method]output-stream."+function, output, arg); err == nil || !strings.HasPrefix(err.Error(), "a write has more than the permitted ") {
			t.Errorf("%s of too many bytes: %v", function, err)
		}
	}
	h.gives(t, success(nil), "output-stream.write-zeroes", output, uint64(1<<20))
	h.gives(t, success(nil), "output-stream.blocking-write-and-flush", output, make([]byte, 4096))
}

func TestAReadGivesAtMost64KiB(t *testing.T) {
	h := New(Options{Stdin: strings.NewReader(strings.Repeat("x", 1<<17))})
	input, _ := h.call(t, "wasi:cli/stdin", "get-stdin")
	h.gives(t, success(uint64(1<<16)), "input-stream.skip", input, uint64(1<<20))
}

func TestAStreamThatFailsIsClosed(t *testing.T) {
	h := New(Options{Stdin: brokenPipe{}, Stdout: brokenPipe{}})
	input, _ := h.call(t, "wasi:cli/stdin", "get-stdin")
	output, _ := h.call(t, "wasi:cli/stdout", "get-stdout")
	for function, args := range map[string][]any{
		"input-stream.read": {input, uint64(1)}, "output-stream.write": {output, []byte("x")},
	} {
		got, err := h.call(t, "wasi:io/streams", "[method]"+function, args...)
		if err != nil || got.(component.Variant).Case != 1 {
			t.Fatalf("%s: %v, %v", function, got, err)
		}
		failed := got.(component.Variant).Payload.(component.Variant)
		text, err := h.call(t, "wasi:io/error", "[method]error.to-debug-string", failed.Payload)
		if err != nil || text != "the pipe broke" {
			t.Errorf("%s: %v, %v", function, text, err)
		}
		h.gives(t, closed, function, args...)
	}
	h.gives(t, closed, "output-stream.check-write", output)
	h.gives(t, closed, "output-stream.flush", output)
}

func TestAProgramWaitsForTheFirstOfItsPollables(t *testing.T) {
	h := New(Options{})
	poll := func(all ...any) any {
		ready, err := h.call(t, "wasi:io/poll", "poll", all)
		if err != nil {
			t.Fatal(err)
		}
		return ready
	}
	after := func(ns uint64) any {
		p, err := h.call(t, "wasi:clocks/monotonic-clock", "subscribe-duration", ns)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	early, same, late, never := after(10), after(10), after(20), after(1<<64-1)
	if got := poll(late, early, same, never); !reflect.DeepEqual(got, []any{uint32(1), uint32(2)}) || h.clock.now != 10 {
		t.Errorf("%v are ready at %d", got, h.clock.now)
	}
	output, _ := h.call(t, "wasi:cli/stdout", "get-stdout")
	stream, err := h.call(t, "wasi:io/streams", "[method]output-stream.subscribe", output)
	if err != nil {
		t.Fatal(err)
	}
	if got := poll(late, stream); !reflect.DeepEqual(got, []any{uint32(1)}) || h.clock.now != 10 {
		t.Errorf("%v are ready at %d", got, h.clock.now)
	}
	if _, err := h.call(t, "wasi:io/poll", "poll", []any{}); err == nil {
		t.Error("a poll of nothing returned")
	}
}

func TestALoopThatReadsTheClockEnds(t *testing.T) {
	h := New(Options{})
	for range 1000 {
		if _, err := h.call(t, "wasi:clocks/monotonic-clock", "now"); err != nil {
			t.Fatal(err)
		}
	}
	if h.clock.now != 1000*tick {
		t.Errorf("the clock is at %d", h.clock.now)
	}
}

func TestLimitsOfProgramsAreNamed(t *testing.T) {
	h := New(Options{})
	_, err := h.call(t, "wasi:random/random", "get-random-bytes", uint64(64<<20+1))
	if want := "67108865 random bytes are asked for at a time, and the limit is 67108864"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for n := range uint32(1 << 20) {
		h.pollables.items[n] = pollable{}
	}
	_, err = h.pollables.resource(pollable{})
	if want := "the program has more than the limit of 1048576 resources of a type"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	h.pollables.typ.Dropped(context.Background(), 5)
	if r, err := h.pollables.resource(pollable{}); err != nil || r.Representation() != 5 {
		t.Errorf("after a drop: %v, %v", r, err)
	}
}

func TestAProgramThatWaitsIsCancelled(t *testing.T) {
	c := compiled(t, "timers")
	h := New(Options{})
	i, err := h.Instantiate(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = i.Close(context.Background()) }()
	call, err := i.Start(t.Context(), Command(c))
	if err != nil {
		t.Fatal(err)
	}
	if err := call.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := call.Wait(t.Context()); !errors.Is(err, component.ErrCancelled) {
		t.Errorf("%v, want ErrCancelled", err)
	}
	if h.clock.now > 100*tick || len(h.clock.timers) != 0 {
		t.Errorf("the clock is at %d with %d timers", h.clock.now, len(h.clock.timers))
	}
	if h.Idle() {
		t.Error("a clock without timers advanced")
	}
}
