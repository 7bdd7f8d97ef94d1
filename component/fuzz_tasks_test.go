package component

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// choices is a scheduler that follows bytes, and takes the first option after them.
type choices struct {
	bytes []byte
	log   *strings.Builder
}

func (c *choices) Choose(kind ChoiceKind, options []Option) int {
	if len(c.bytes) == 0 {
		return 0
	}
	choice := int(c.bytes[0]) % len(options)
	c.bytes = c.bytes[1:]
	fmt.Fprintf(c.log, "choice %d of %d: %v is %d\n", kind, len(options), options, choice)
	return choice
}

// hostRun is a host that drives a component by a program of bytes.
type hostRun struct {
	fetches
	*Instance
	log     strings.Builder
	program []byte
	calls   []*Call
	streams []*Stream
	writers []*StreamWriter
	futures []*FutureWriter
	prompt  bool // functions of the host finish at once: nothing else is done while an operation waits for them
}

func (r *hostRun) imports() Imports {
	later := AsyncFunc(func(ctx context.Context, args []any, c *Completion) {
		if r.prompt {
			c.Return(args[0])
			return
		}
		r.fetches.calls = append(r.fetches.calls, c)
	})
	return Imports{"fetch": later, "later": later}
}

func (r *hostRun) next() byte {
	if len(r.program) == 0 {
		return 0
	}
	b := r.program[0]
	r.program = r.program[1:]
	return b
}

// note records the result of an operation, without the engine's own error texts.
func (r *hostRun) note(what string, result any, err error) {
	fmt.Fprintf(&r.log, "%s: %v %v\n", what, result, err)
}

// run runs the program against a new instance and gives what happened.
func runHost(t *testing.T, c *Component, scheduled, program []byte, step func(r *hostRun)) string {
	r := &hostRun{program: program}
	i, err := c.Instantiate(t.Context(), r.imports(), WithScheduler(&choices{scheduled, &r.log}))
	if err != nil {
		t.Fatal(err)
	}
	r.Instance = i
	for len(r.program) > 0 && !i.host.dead {
		step(r)
	}
	if !i.host.dead {
		checkThreads(t, i.host)
	}
	if err := i.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r.log.String()
}

// checkThreads checks that each thread that waits is in the list that it says, and that no other is.
func checkThreads(t *testing.T, h *host) {
	for th := h.ready.first; th != nil; th = th.next {
		if th.list != listReady || th.wait == waitNothing {
			t.Fatalf("a thread in the list of ready ones says %d and waits for %d", th.list, th.wait)
		}
	}
	if h.inbox.outstanding < 0 || h.openEnds < 0 || h.tasks < 0 {
		t.Fatalf("%d calls of the host, %d ends, %d tasks", h.inbox.outstanding, h.openEnds, h.tasks)
	}
	if h.current != nil || h.switchTo != nil {
		t.Fatal("a thread runs after the instance returned")
	}
}

// Whatever a host does with calls, streams and futures in whatever order, and whatever a scheduler chooses, a component
// returns, waits or traps, twice the same.
func FuzzHostsDriveComponents(f *testing.F) {
	c := compiled(f, "waiting")
	f.Add([]byte{}, []byte{0, 1, 2, 8, 0, 8, 0})
	f.Add([]byte{1, 0, 1}, []byte{5, 0, 1, 6, 7, 0, 3, 9, 0, 2, 2, 4, 10, 1})
	f.Add([]byte{1, 1, 1}, []byte{3, 3, 4, 11, 0, 12, 0, 13, 0, 4, 3, 9, 14, 0, 15, 0})
	f.Fuzz(func(t *testing.T, scheduled, program []byte) {
		program, scheduled = program[:min(len(program), 200)], scheduled[:min(len(scheduled), 200)]
		first := runHost(t, c, scheduled, slices.Clone(program), (*hostRun).drive)
		if second := runHost(t, c, scheduled, slices.Clone(program), (*hostRun).drive); first != second {
			t.Fatalf("two runs differ:\n%s\n\n%s", first, second)
		}
	})
}

// drive does the next operation of the program.
func (r *hostRun) drive() {
	ctx := context.Background()
	start := func(name string, args ...any) {
		c, err := r.Start(ctx, name, args...)
		r.note(name, c != nil && c.Done(), err)
		if err == nil {
			r.calls = append(r.calls, c)
		}
	}
	switch op := r.next() % 16; op {
	case 0, 1:
		start([]string{"double", "triple"}[op], uint32(r.next()))
	case 2:
		start("turn", uint32(r.next()%8))
	case 3:
		in, out := NewStream()
		start("shout", in)
		r.writers = append(r.writers, out)
	case 4:
		start("shout", StreamOf(bytes.NewReader(make([]byte, int(r.next())*20))))
	case 5:
		future, set := NewFuture()
		start("await", future)
		r.futures = append(r.futures, set)
	case 6:
		start("close-door")
	case 7:
		start("open-door")
	case 8:
		r.finish()
	default:
		r.end(op)
	}
}

// finish ends a call of the host.
func (r *hostRun) finish() {
	if c := take(r, &r.fetches.calls); c != nil {
		if r.next()%3 == 0 {
			c.Cancelled()
		} else {
			c.Return(uint32(r.next()))
		}
	}
}

// end does an operation of ends, or waits for or cancels a call.
func (r *hostRun) end(op byte) {
	ctx := context.Background()
	r.prompt = true
	defer func() { r.prompt = false }()
	switch op {
	case 9:
		r.note("settle", nil, r.Settle(ctx))
	case 10, 11:
		if c := take(r, &r.calls); c != nil && (op == 10 || c.Done() || r.host.inbox.outstanding == 0) {
			if op == 10 {
				r.note("cancel", c.Done(), c.Cancel(ctx))
				return
			}
			result, err := c.Wait(ctx)
			r.note("wait", fmt.Sprintf("%T", result), err)
			if s, ok := result.(*Stream); ok {
				r.streams = append(r.streams, s)
			}
		}
	case 12:
		if w := take(r, &r.writers); w != nil && r.host.inbox.outstanding == 0 {
			n, err := w.Write(make([]byte, r.next()))
			r.note("write", n, err)
			r.writers = append(r.writers, w)
		}
	case 13:
		if s := take(r, &r.streams); s != nil && r.host.inbox.outstanding == 0 {
			n, err := s.Read(make([]byte, r.next()))
			r.note("read", n, err)
			r.streams = append(r.streams, s)
		}
	case 14:
		if w := take(r, &r.writers); w != nil {
			r.note("close", nil, w.Close())
		} else if s := take(r, &r.streams); s != nil {
			r.note("close", nil, s.Close())
		}
	case 15:
		if w := take(r, &r.futures); w != nil && r.host.inbox.outstanding == 0 {
			r.note("set", nil, w.Set(ctx, uint32(r.next())))
		}
	}
}

// take takes an item of a list that the program names.
func take[T any](r *hostRun, list *[]*T) *T {
	if len(*list) == 0 {
		return nil
	}
	at := int(r.next()) % len(*list)
	item := (*list)[at]
	*list = slices.Delete(*list, at, at+1)
	return item
}

// Built-in functions return, block or trap, whatever they are called with and in whatever order.
func FuzzBuiltinFunctions(f *testing.F) {
	c := compiled(f, "builtins")
	names := make([]string, 0, len(c.scope.exports.items))
	for _, e := range c.scope.exports.items {
		names = append(names, e.name)
	}
	place := func(name string) byte { return byte(slices.Index(names, name)) }
	f.Add([]byte{}, []byte{place("stream-new"), place("stream-write"), 2, 0, 4, place("stream-read"), 1, 64, 9, place("stream-drop-readable"), 1})
	f.Add([]byte{}, []byte{place("set-new"), place("future-new"), place("future-read"), 2, 8, place("join"), 2, 1, place("future-write"), 3, 4, place("set-wait"), 1, 8})
	f.Add([]byte{1}, []byte{place("stream-text-new"), place("stream-text-write"), 2, 0, 1, place("stream-text-cancel-write"), 2, place("stream-text-drop-writable"), 2})
	f.Add([]byte{1}, []byte{place("thread-new"), 0, 7, place("yield-then-resume"), 1, place("call-later"), 1, 4, place("subtask-cancel-async"), 1, 255})
	f.Fuzz(func(t *testing.T, scheduled, program []byte) {
		program, scheduled = program[:min(len(program), 100)], scheduled[:min(len(scheduled), 100)]
		step := func(r *hostRun) {
			op := r.next()
			if int(op) >= len(names) {
				r.finish()
				r.note("settle", nil, r.Settle(t.Context()))
				return
			}
			function, err := r.function(names[op])
			if err != nil {
				t.Fatal(err)
			}
			args := make([]any, len(function.typ.params))
			for n := range args {
				args[n] = uint32(r.next())
			}
			call, err := r.Start(t.Context(), names[op], args...)
			r.note(fmt.Sprint(names[op], args), call != nil && call.Done(), err)
			if trap := new(Trap); err != nil && !errors.As(err, &trap) {
				t.Fatal(err)
			}
		}
		first := runHost(t, c, scheduled, slices.Clone(program), step)
		if second := runHost(t, c, scheduled, slices.Clone(program), step); first != second {
			t.Fatalf("two runs differ:\n%s\n\n%s", first, second)
		}
	})
}

// compiled gives a program of testdata.
func compiled(t testing.TB, name string) *Component {
	c, err := Compile(context.Background(), programs(t, "valid")[name])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}
