package canister_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/component"
	"github.com/canisterd/canisterd/test/canistertest"
)

// Built-in functions of streams and futures, by their numbers in ends.wat.
const (
	endsNew = iota
	endsRead
	endsWrite
	endsCancelRead
	endsCancelWrite
	endsDropReadable
	endsDropWritable
	endsReadSync
	endsWriteSync
	endsCancelReadSync
)

const copyBlocked = 0xffffffff

// ends is ends.wasm as a canister.
type ends struct {
	place *canistertest.Place
	c     *canister.Canister
	file  *did.File
}

func newEnds(t testing.TB, place *canistertest.Place, m *canister.Module) *ends {
	return &ends{place, place.Canister(m, nil), interfaceOf(t, m)}
}

var (
	trapText   = regexp.MustCompile(`'([^']*)'`)
	resultText = regexp.MustCompile(`^\(([0-9_]+) : nat(32|64)\)$|^\(\)$`)
)

// call calls a function. Its result is the number that it returns, or why it trapped.
func (e *ends) call(t testing.TB, name string, args ...uint32) (result string) {
	t.Helper()
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = fmt.Sprint(a)
	}
	text := called(t, e.place, e.c, e.file, strings.ReplaceAll(name, "-", "_"), "("+strings.Join(words, ", ")+")")
	if m := resultText.FindStringSubmatch(text); m != nil {
		return strings.ReplaceAll(m[1], "_", "")
	}
	if m := trapText.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	t.Fatalf("%s%v: %s", name, args, text)
	return ""
}

// hosted is the same component, which package component runs.
type hosted struct{ instance *component.Instance }

func (h hosted) call(t testing.TB, name string, args ...uint32) string {
	t.Helper()
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a
	}
	result, err := h.instance.Call(t.Context(), name, values...)
	var trap *component.Trap
	switch {
	case errors.As(err, &trap):
		return trap.Reason
	case err != nil:
		t.Fatalf("%s%v: %v", name, args, err)
	case result == nil:
		return ""
	}
	return fmt.Sprint(result)
}

func newHosted(t testing.TB, binary []byte) func() hosted {
	t.Helper()
	code, err := component.Compile(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = code.Close(t.Context()) })
	return func() hosted {
		instance, err := code.Instantiate(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return hosted{instance}
	}
}

func TestEndsOfStreamsAndFuturesTrapWithTheWordsOfTheSpecification(t *testing.T) {
	place := canistertest.NewPlace(t)
	m := place.Module(componentFile(t, "ends.wasm"))
	const r, w = 1, 2 // handles of the first stream or future
	for _, test := range []struct {
		name  string
		calls [][4]uint32 // each with the number of the built-in function first
		kind  string
		want  string
	}{
		{"an index that is not there", [][4]uint32{{endsRead, 7, 64, 1}}, "numbers", "unknown handle index 7"},
		{"index 0", [][4]uint32{{endsRead, 0, 64, 1}}, "numbers", "unknown handle index 0"},
		{"an end that is dropped twice", [][4]uint32{{endsNew}, {endsDropReadable, r}, {endsDropReadable, r}}, "numbers", "unknown handle index 1"},
		{"the other end", [][4]uint32{{endsNew}, {endsRead, w, 64, 1}}, "numbers", "handle index 2 used with the wrong type, found the writable end of a stream"},
		{"two reads", [][4]uint32{{endsNew}, {endsRead, r, 64, 1}, {endsRead, r, 64, 1}}, "numbers", "cannot have concurrent operations active on a future/stream"},
		{"a read that is dropped", [][4]uint32{{endsNew}, {endsRead, r, 64, 1}, {endsDropReadable, r}}, "numbers", "cannot remove busy stream"},
		{"a write that is dropped", [][4]uint32{{endsNew}, {endsWrite, w, 64, 1}, {endsDropWritable, w}}, "numbers", "cannot drop busy stream"},
		{"a read after the end", [][4]uint32{{endsNew}, {endsDropWritable, w}, {endsRead, r, 64, 1}, {endsRead, r, 64, 1}}, "numbers", "cannot read from stream after being notified that the writable end dropped"},
		{"a write after the end", [][4]uint32{{endsNew}, {endsDropReadable, r}, {endsWrite, w, 64, 1}, {endsWrite, w, 64, 1}}, "numbers", "cannot write to stream after being notified that the readable end dropped"},
		{"a cancellation of nothing", [][4]uint32{{endsNew}, {endsCancelRead, r}}, "numbers", "cannot cancel an operation that is not active on a stream"},
		{"a pointer that is not aligned", [][4]uint32{{endsNew}, {endsRead, r, 66, 1}}, "numbers", "unaligned pointer"},
		{"a buffer beyond the memory", [][4]uint32{{endsNew}, {endsRead, r, 0xfffffffc, 2}}, "numbers", "stream pointer/length out of bounds of memory"},
		{"a buffer of too many elements", [][4]uint32{{endsNew}, {endsRead, r, 64, 1 << 28}}, "bytes", "a stream copies at most 268435455 elements at a time, found 268435456"},
		{"strings within a component", [][4]uint32{{endsNew}, {endsRead, r, 64, 1}, {endsWrite, w, 64, 1}}, "words", "cannot read from and write to intra-component stream"},
		{"tuples within a component", [][4]uint32{{endsNew}, {endsWrite, w, 64, 1}, {endsRead, r, 64, 1}}, "pairs", "cannot read from and write to intra-component stream"},
		{"a future without a value", [][4]uint32{{endsNew}, {endsDropWritable, w}}, "promise", "cannot drop future write end without first writing a value"},
		{"a future that is read twice", [][4]uint32{{endsNew}, {endsWrite, w, 64}, {endsRead, r, 64}, {endsRead, r, 64}}, "promise", "cannot read from future after previous read succeeded"},
		{"a future that is written twice", [][4]uint32{{endsNew}, {endsRead, r, 64}, {endsWrite, w, 64}, {endsWrite, w, 64}}, "promise", "cannot write to future after previous write succeeded or readable end dropped"},
		{"a read that must wait in core code", [][4]uint32{{endsNew}, {endsReadSync, r, 64, 1}}, "numbers", "the component waits for a stream in core code, but only a callback can wait in a canister"},
		{"a write that must wait in core code", [][4]uint32{{endsNew}, {endsWriteSync, w, 64}}, "promise", "the component waits for a future in core code, but only a callback can wait in a canister"},
	} {
		e := newEnds(t, place, m)
		got := ""
		for _, c := range test.calls {
			got = e.call(t, test.kind, c[:]...)
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestACanisterHasAMillionHandlesOfStreamsAtMost(t *testing.T) {
	binary := componentFile(t, "ends.wasm")
	place := canistertest.NewPlace(t)
	for _, x := range []interface {
		call(t testing.TB, name string, args ...uint32) string
	}{newEnds(t, place, place.Module(binary)), newHosted(t, binary)()} {
		for _, c := range []struct {
			name string
			args []uint32
			want string
		}{
			{"many", []uint32{499_999}, ""},
			{"set", nil, "999999"},
			{"set", nil, "1000000"},
			{"set", nil, "the handle table is full: it has 1000000 handles"},
		} {
			if got := x.call(t, c.name, c.args...); got != c.want {
				t.Errorf("%T: %s%v: got %s, want %s", x, c.name, c.args, got, c.want)
			}
		}
	}
}

// endsCall is a call of a function of ends.wat.
type endsCall struct {
	name string
	args []uint32
}

// endsDrawing draws calls that are often right: it knows the handles that results named, and which of them copy.
type endsDrawing struct {
	*rand.Rand
	handles []endsHandle // from 1
	next    []endsCall   // what it has drawn already
}

type endsHandle struct {
	kind          string // a function, or set; empty if it was dropped
	blocked, done bool   // it copies; it copies no more
}

const eventAt = 192 // memory that the buffers do not reach

// endKinds are functions. Elements of the first ones can be copied.
var endKinds = []string{"numbers", "others", "bytes", "floats", "doubles", "ticks", "promise", "done", "words", "pairs", "twins"}

func (d *endsDrawing) kind() string {
	const copied = 8
	if d.IntN(10) == 0 {
		return endKinds[d.IntN(len(endKinds))]
	}
	return endKinds[d.IntN(copied)]
}

func (d *endsDrawing) draw() endsCall {
	if len(d.next) == 0 {
		d.next = d.more()
	}
	c := d.next[0]
	d.next = d.next[1:]
	return c
}

func (d *endsDrawing) more() []endsCall {
	index := uint32(d.IntN(len(d.handles)+1)) + 1
	const set = 1
	switch n := d.IntN(30); {
	case len(d.handles) == 0:
		return []endsCall{{"set", nil}}
	case n < 3 && len(d.handles) < 12:
		r := uint32(len(d.handles) + 1)
		return []endsCall{{d.kind(), []uint32{endsNew, 0, 0, 0}}, {"join", []uint32{r, set}}, {"join", []uint32{r + 1, set}}}
	case n < 8:
		return []endsCall{{"set-poll", []uint32{set, eventAt}}, {"peek", []uint32{eventAt}}, {"peek", []uint32{eventAt + 4}}}
	case n < 11:
		return []endsCall{{"poke", []uint32{d.buffer(), d.bits()}}, {"peek", []uint32{64 + 4*uint32(d.IntN(24))}}}
	case n == 11 && d.IntN(20) == 0:
		return []endsCall{{"set-drop", []uint32{index}}}
	case int(index) > len(d.handles) || d.handles[index-1].kind == "set" || d.handles[index-1].kind == "":
		if d.IntN(300) > 0 {
			return d.more()
		}
		return []endsCall{d.aboutEnd(index, endsHandle{kind: d.kind()})}
	}
	return []endsCall{d.aboutEnd(index, d.handles[index-1])}
}

// aboutEnd draws a call about an end. Ends are made in pairs after a set: the readable ones have even indices.
func (d *endsDrawing) aboutEnd(index uint32, h endsHandle) endsCall {
	readable := index%2 == 0
	if d.IntN(60) == 0 {
		readable = !readable
	}
	pick := func(reads, writes uint32) uint32 {
		if readable {
			return reads
		}
		return writes
	}
	which := pick(endsRead, endsWrite)
	switch n := d.IntN(24); {
	case n == 0:
		which = pick(endsDropReadable, endsDropWritable)
	case n == 1 && d.IntN(3) == 0:
		return endsCall{"join", []uint32{index, uint32(d.IntN(2))}}
	case h.blocked && n < 5, n == 2 && d.IntN(8) == 0:
		which = pick(endsCancelRead, endsCancelWrite)
	case (h.blocked || h.done) && d.IntN(40) > 0:
		return d.draw()
	case n == 3 && readable && d.IntN(4) == 0:
		which = endsCancelReadSync
	}
	return endsCall{h.kind, []uint32{which, index, d.buffer(), uint32(d.IntN(4))}}
}

func (d *endsDrawing) buffer() uint32 { return 64 + 8*uint32(d.IntN(8)) }

// bits are often those of a NaN.
func (d *endsDrawing) bits() uint32 {
	return []uint32{d.Uint32(), 0x7fc00001, 0xffa00000, 0x7ff80000, 0xfff00001, 1}[d.IntN(6)]
}

// resultNumber reads a result.
func resultNumber(result string) (n uint64) {
	_, _ = fmt.Sscan(result, &n)
	return n
}

// learn takes the result of a call.
func (d *endsDrawing) learn(c endsCall, result string) {
	switch {
	case c.name == "set":
		d.handles = append(d.handles, endsHandle{kind: "set"})
	case c.name == "peek" && c.args[0] == eventAt && result != "0":
		d.handles[resultNumber(result)-1].blocked = false
	case len(c.args) < 4:
	case c.args[0] == endsNew:
		d.handles = append(d.handles, endsHandle{kind: c.name}, endsHandle{kind: c.name})
	case c.args[0] == endsDropReadable || c.args[0] == endsDropWritable:
		d.handles[c.args[1]-1].kind = ""
	default:
		h, n := &d.handles[c.args[1]-1], resultNumber(result)
		h.blocked = n == copyBlocked
		h.done = !h.blocked && (n%16 == 1 || n == 0 && (h.kind == "promise" || h.kind == "done"))
	}
}

// TestStreamsAndFuturesOfACanisterDoWhatTheHostDoes makes drawn calls of ends.wasm as a canister, and of an instance of the
// component, until one traps: both must have the same results, traps and memory.
func TestStreamsAndFuturesOfACanisterDoWhatTheHostDoes(t *testing.T) {
	binary := componentFile(t, "ends.wasm")
	place := canistertest.NewPlace(t)
	m := place.Module(binary)
	instantiate := newHosted(t, binary)
	copied, blocked, traps := 0, 0, map[string]int{}
	for seed := range uint64(400) {
		d := &endsDrawing{Rand: rand.New(rand.NewPCG(seed, 2))}
		own, host := newEnds(t, place, m), instantiate()
		var made []string
		for range 120 {
			c := d.draw()
			got, want := own.call(t, c.name, c.args...), host.call(t, c.name, c.args...)
			made = append(made, fmt.Sprintf("%s%v = %s", c.name, c.args, got))
			if got != want {
				t.Fatalf("seed %d: the host says %q after\n%s", seed, want, strings.Join(made, "\n"))
			}
			if strings.ContainsAny(got, "abcdefghijklmnopqrstuvwxyz") {
				traps[got]++
				break
			}
			d.learn(c, got)
			switch {
			case got == fmt.Sprint(uint32(copyBlocked)):
				blocked++
			case len(c.args) == 4 && (c.args[0] == endsRead || c.args[0] == endsWrite) && len(got) > 1:
				copied++
			}
		}
		own.c.Close()
		if err := host.instance.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d copies, %d that wait, %d traps", copied, blocked, len(traps))
	if copied < 300 || blocked < 1000 || len(traps) < 20 {
		t.Errorf("%d copies, %d that wait, %d different traps: the test is weak: %v", copied, blocked, len(traps), traps)
	}
}

// TestResourcesOfACanisterDoWhatTheHostDoes does so with two resources of the component.
func TestResourcesOfACanisterDoWhatTheHostDoes(t *testing.T) {
	binary := componentFile(t, "ends.wasm")
	place := canistertest.NewPlace(t)
	m := place.Module(binary)
	instantiate := newHosted(t, binary)
	traps := map[string]bool{}
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 3))
		own, host := newEnds(t, place, m), instantiate()
		kinds := []string{"account", "card"}
		var handles []string // kinds of handles from 1
		for {
			c := endsCall{"destroyed", nil}
			switch n := random.IntN(12); {
			case len(handles) == 0 || n < 4:
				c = endsCall{kinds[random.IntN(2)], []uint32{random.Uint32()}}
				handles = append(handles, c.name)
			case n < 11:
				at := random.IntN(len(handles))
				kind := handles[at]
				if random.IntN(12) == 0 {
					kind = kinds[random.IntN(2)]
				}
				c = endsCall{kind + []string{"-rep", "-drop"}[n%2], []uint32{uint32(at + 1)}}
			}
			got, want := own.call(t, c.name, c.args...), host.call(t, c.name, c.args...)
			if got != want {
				t.Fatalf("seed %d: %s%v is %q, and the host says %q", seed, c.name, c.args, got, want)
			}
			if strings.ContainsAny(got, "abcdefghijklmnopqrstuvwxyz") {
				traps[got] = true
				break
			}
		}
		own.c.Close()
		if err := host.instance.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"unknown handle index 2", "handle index 1 used with the wrong type, expected guest-defined resource but found a different guest-defined resource"} {
		if !traps[want] {
			t.Errorf("no run trapped with %q: the test is weak: %v", want, traps)
		}
	}
}
