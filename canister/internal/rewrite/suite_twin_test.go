package rewrite_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tetratelabs/wazero/api"

	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// A random program with a 64-bit memory is rewritten and runs; its twin says
// the same for a 32-bit memory, every address taken through a function that
// saturates it, and runs as it stands. Results, traps and memories must agree.
func TestWideProgramsDoWhatTheirNarrowTwinsDo(t *testing.T) {
	t.Parallel()
	runs, trapped := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 1500)
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		n, bad := compareTwins(t, script)
		runs, trapped = runs+n, trapped+bad
		if t.Failed() {
			return
		}
	}
	t.Logf("%d runs, %d of them trapped", runs, trapped)
}

func FuzzWideProgramsDoWhatTheirNarrowTwinsDo(f *testing.F) {
	f.Add([]byte("a program is drawn from these bytes, and when they are used up it ends"))
	f.Fuzz(func(t *testing.T, script []byte) { compareTwins(t, script) })
}

func compareTwins(t *testing.T, script []byte) (runs, trapped int) {
	t.Helper()
	wide, narrow := drawTwins(script)
	s := newStage(context.Background(), t)
	defer s.close()
	prepared, err := prepare(assembleTwin(t, wide))
	if err != nil {
		t.Fatalf("%v\n%s", err, wide)
	}
	a, err := s.instantiate(prepared)
	if err != nil {
		t.Fatalf("wide: %v\n%s", err, wide)
	}
	b, err := s.instantiate(assembleTwin(t, narrow))
	if err != nil {
		t.Fatalf("narrow: %v\n%s", err, narrow)
	}
	for _, args := range [][]uint64{{0, 8}, {65528, 1}, {1 << 32, 3}, {^uint64(0), 1 << 63}, {70000, 0xffff_ffff}} {
		s.grants = 0
		got, want := twinRun(s, a, args), twinRun(s, b, args)
		if got.text != want.text || !bytes.Equal(got.memory, want.memory) {
			t.Errorf("f(%#x): wide %s, narrow %s; memories of %d and %d bytes are the same up to byte %d\n%s",
				args, got.text, want.text, len(got.memory), len(want.memory), commonPrefix(got.memory, want.memory), wide)
			return runs, trapped
		}
		if runs++; got.trap {
			trapped++
		}
	}
	return runs, trapped
}

func assembleTwin(t *testing.T, text string) []byte {
	t.Helper()
	module, err := wat.Assemble(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return module
}

type twinOutcome struct {
	text   string
	trap   bool
	memory []byte
}

func twinRun(s *stage, i *instance, args []uint64) twinOutcome {
	s.emptyStacks()
	results, err := i.module.ExportedFunction("f2").Call(s.ctx, args...)
	o := twinOutcome{text: fmt.Sprintf("%#x", results)}
	if err != nil {
		o.trap, o.text = true, firstLine(err)
	}
	o.text += fmt.Sprintf(", g = %#x", i.module.ExportedGlobal("g").Get())
	o.memory = wholeMemory(i.module)
	return o
}

func commonPrefix(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func firstLine(err error) string {
	line, _, _ := bytes.Cut([]byte(err.Error()), []byte("\n"))
	return string(line)
}

func wholeMemory(m api.Module) []byte {
	memory := m.ExportedMemory("mem")
	content, _ := memory.Read(0, memory.Size())
	return bytes.Clone(content)
}

// drawTwins draws a program from bytes and writes it down twice.
func drawTwins(script []byte) (wide, narrow string) {
	d := &drawing{script: script}
	const locals = "(local $p2 i64) (local $p3 i64) (local $c0 i32) (local $c1 i32) (local $n0 i32) (local $n1 i32) (local $n2 i32)"
	wide = `(module (memory (export "mem") i64 1 4) (global $g (export "g") (mut i64) (i64.const 16)) (data (i64.const 0) "\10\ff\00\01abcdefgh")`
	narrow = `(module (memory (export "mem") 1 4) (global $g (export "g") (mut i64) (i64.const 16)) (data (i32.const 0) "\10\ff\00\01abcdefgh")
  (func $at (param $a i64) (param $offset i64) (result i32)
    (if (i64.lt_u (i64.add (local.get $a) (local.get $offset)) (local.get $a)) (then (return (i32.const -1))))
    (if (i64.ge_u (i64.add (local.get $a) (local.get $offset)) (i64.const 0x100000000)) (then (return (i32.const -1))))
    (i32.wrap_i64 (i64.add (local.get $a) (local.get $offset))))
  (func $grow (param $n i64) (result i64)
    (if (i64.ge_u (local.get $n) (i64.const 0x100000000)) (then (return (i64.const -1))))
    (i64.extend_i32_s (memory.grow (i32.wrap_i64 (local.get $n)))))`
	for k := range 3 {
		d.callable, d.loops = k, 0
		body := d.statements(4 + 3*k).then(d.wide(3))
		head := fmt.Sprintf("\n(func $f%d (export \"f%d\") (param $p0 i64) (param $p1 i64) (result i64) %s\n", k, k, locals)
		wide += head + body.wide + ")"
		narrow += head + body.narrow + ")"
	}
	return wide + ")", narrow + ")"
}

// draw picks a number below n; 0 when the bytes are used up.
func (d *drawing) draw(n int) int {
	if len(d.script) == 0 {
		return 0
	}
	b := d.script[0]
	d.script = d.script[1:]
	return int(b) % n
}

func (d *drawing) draw64() uint64 {
	var raw [8]byte
	n := copy(raw[:], d.script)
	d.script = d.script[n:]
	return binary.LittleEndian.Uint64(raw[:])
}
