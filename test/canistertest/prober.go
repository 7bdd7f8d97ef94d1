package canistertest

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// Addresses in the prober's heap, which has four pages.
const (
	probeProgram = 0x10000 // the program, as it came
	probeOut     = 0x20000 // what it has to say
	probeWords   = 0x30000 // the arguments of the call under way
	probeResult  = 0x30100
)

// probeShow is the operation that shows bytes of the heap; the others are functions of the
// System API, by their place in canister.SystemAPI.
const probeShow = 255

// systemAPI are the functions of the System API, listed once.
var systemAPI = sync.OnceValue(canister.SystemAPI)

// Prober is a canister whose messages are plain lists of calls of the System API, with a
// 32-bit or a 64-bit memory. It has an update method "run", a query method "ask", a
// composite query method "compose", and canister_init; "mute" is "run" for programs that answer
// themselves, and "said" answers with what the last program said that did not.
// The first page of its heap is the program's own. It is assembled once, and the caller must not change it.
func Prober(wide bool) []byte { return assembleProber(prober{wide: wide}) }

// prober says which prober to make.
type prober struct{ wide, hooked bool }

// assembledProbers are the modules of those that tests of this process have used.
var assembledProbers assembled[prober]

func assembleProber(p prober) []byte { return assembledProbers.of(p, p.assemble) }

func (p prober) assemble() []byte {
	hooks := ""
	if p.hooked {
		hooks = proberHooks
	}
	module, err := wat.Assemble(proberText(p.wide, hooks))
	if err != nil {
		panic(fmt.Errorf("canistertest: the prober: %w", err))
	}
	return module
}

func proberText(wide bool, hooks string) string {
	pointer := "i32"
	if wide {
		pointer = "i64"
	}
	var imports, calls, table strings.Builder
	for i, f := range systemAPI() {
		if wide && f.Narrow {
			continue
		}
		params, results := valueTypes(f.Type, pointer)
		fmt.Fprintf(&imports, "(import \"ic0\" %q (func $%s (param %s) (result %s)))\n", f.Name, f.Name, strings.Join(params, " "), strings.Join(results, " "))
		fmt.Fprintf(&table, "(elem (%s.const %d) $probe_%s)\n", pointer, i, f.Name)
		fmt.Fprintf(&calls, "(func $probe_%s %s)\n", f.Name, probeCall(f.Name, params, results, pointer))
	}
	text := strings.NewReplacer("IMPORTS", imports.String(), "CALLS", table.String()+calls.String(),
		"PROGRAM", fmt.Sprint(probeProgram), "OUT", fmt.Sprint(probeOut), "WORDS", fmt.Sprint(probeWords), "RESULT", fmt.Sprint(probeResult), "SHOW", fmt.Sprint(probeShow),
		"KEPTSIZES", fmt.Sprint(keptSizes), "KEPTPROGRAMS", fmt.Sprint(keptPrograms), "KEPTROOM", fmt.Sprint(KeptProgram),
		"ANSWERING", fmt.Sprint(probeAnswering), "KEEP", fmt.Sprint(probeKeep)).Replace(proberBody + hooks + ")")
	if wide {
		return strings.NewReplacer("NARROW", "", "WIDE", "", "ptr.", "i64.", "ptr", "i64", "(memory 4)", "(memory i64 4)", "(table 256 funcref)", "(table i64 256 funcref)").Replace(text)
	}
	return strings.NewReplacer("NARROW", "(i32.wrap_i64 ", "WIDE", ")", "ptr.", "i32.", "ptr", "i32").Replace(text)
}

// valueTypes takes a type apart as the specification writes it.
func valueTypes(declared, pointer string) (params, results []string) {
	in, out, _ := strings.Cut(declared, " → ")
	list := func(text string) []string {
		return strings.Fields(strings.NewReplacer("(", "", ")", "", ",", "", "I", pointer).Replace(text))
	}
	return list(in), list(out)
}

// probeCall is code that calls a function with the words of the program and keeps its result.
func probeCall(name string, params, results []string, pointer string) string {
	var args strings.Builder
	for i, t := range params {
		word := fmt.Sprintf("(i64.load (%s.const %d))", pointer, probeWords+8*i)
		if t == "i32" {
			word = "(i32.wrap_i64 " + word + ")"
		}
		args.WriteString(" " + word)
	}
	call := fmt.Sprintf("(call $%s%s)", name, args.String())
	if len(results) == 0 {
		return call
	}
	if results[0] == "i32" {
		call = "(i64.extend_i32_u " + call + ")"
	}
	return fmt.Sprintf("(i64.store (%s.const %d) %s)", pointer, probeResult, call)
}

// proberBody interprets a program: calls, each the number of an operation, the number of its
// words, the words, in 64 bits each. What a call gives is appended to the answer, as
// 64 bits; SHOW appends bytes of the heap.
const proberBody = `(module
IMPORTS
(memory 4)
(table 256 funcref)
(global $out (mut ptr) (ptr.const 0))
(global $size (mut ptr) (ptr.const 0))
CALLS
(type $probe (func))
(func $number (param $at ptr) (result ptr) NARROW(i64.load (local.get $at))WIDE)
(func $perform
  (local $at ptr) (local $end ptr) (local $operation ptr) (local $count ptr)
  (global.set $out (ptr.const OUT))
  (local.set $at (ptr.const PROGRAM))
  (local.set $end (ptr.add (ptr.const PROGRAM) (global.get $size)))
  (block $done (loop $next
    (br_if $done (ptr.ge_u (local.get $at) (local.get $end)))
    (local.set $operation (call $number (local.get $at)))
    (local.set $count (call $number (ptr.add (local.get $at) (ptr.const 8))))
    (local.set $at (ptr.add (local.get $at) (ptr.const 16)))
    (memory.copy (ptr.const WORDS) (local.get $at) (ptr.mul (local.get $count) (ptr.const 8)))
    (local.set $at (ptr.add (local.get $at) (ptr.mul (local.get $count) (ptr.const 8))))
    (if (ptr.eq (local.get $operation) (ptr.const SHOW)) (then
      (memory.copy (global.get $out) (call $number (ptr.const WORDS)) (call $number (ptr.add (ptr.const WORDS) (ptr.const 8))))
      (global.set $out (ptr.add (global.get $out) (call $number (ptr.add (ptr.const WORDS) (ptr.const 8))))))
    (else
      (i64.store (ptr.const RESULT) (i64.const 0))
      (call_indirect (type $probe) (local.get $operation))
      (i64.store (global.get $out) (i64.load (ptr.const RESULT)))
      (global.set $out (ptr.add (global.get $out) (ptr.const 8)))))
    (br $next))))
(func $take
  (global.set $size (call $msg_arg_data_size))
  (call $msg_arg_data_copy (ptr.const PROGRAM) (ptr.const 0) (global.get $size)))
(func $answer
  (call $msg_reply_data_append (ptr.const OUT) (ptr.sub (global.get $out) (ptr.const OUT)))
  (call $msg_reply))
(func (export "canister_update run") (call $take) (call $perform) (call $answer))
(func (export "canister_update mute") (call $take) (call $perform))
(func (export "canister_query ask") (call $take) (call $perform) (call $answer))
(func (export "canister_query said")
  (call $msg_reply_data_append (ptr.const OUT) (ptr.sub (global.get $out) (ptr.const OUT)))
  (call $msg_reply))
(func (export "canister_composite_query compose") (call $take) (call $perform) (call $answer))
(func (export "canister_init") (call $take) (call $perform))
`

// Probe is a program of the prober under way.
type Probe struct {
	program, data []byte
	fixes         []int // where words in program are addresses in data
	shown         []probed
}

type probed struct {
	text string
	size int // bytes to show, -1 for the result of a call, or nothing
}

// nothing is the size of what a call without a result says: the word that stands for it is not told.
const nothing = -2

var probeNumbers = func() map[string]int {
	numbers := make(map[string]int)
	for i, f := range systemAPI() {
		numbers[f.Name] = i
	}
	return numbers
}()

// Word is an argument of a call: a number, or bytes, which stand for two arguments, an address
// and a length.
type Word struct {
	Number uint64
	Bytes  []byte
	Blob   bool
}

// Call appends a call of a function of the System API, or "show" ADDRESS SIZE.
func (p *Probe) Call(name, text string, words ...Word) error {
	operation, known := probeNumbers[name]
	size := -1
	if known && strings.HasSuffix(systemAPI()[operation].Type, "()") {
		size = nothing
	}
	if name == "show" && len(words) == 2 {
		operation, known, size = probeShow, true, int(words[1].Number)
	}
	if !known {
		return fmt.Errorf("there is no function %q", name)
	}
	p.operation(operation, text, size, words...)
	return nil
}

// operation appends an operation with the arguments it has.
func (p *Probe) operation(number int, text string, size int, words ...Word) {
	p.word(uint64(number))
	count := len(p.program)
	p.word(0)
	for _, w := range words {
		if !w.Blob {
			p.word(w.Number)
			continue
		}
		p.fixes = append(p.fixes, len(p.program))
		p.word(uint64(len(p.data)))
		p.word(uint64(len(w.Bytes)))
		p.data = append(p.data, w.Bytes...)
	}
	binary.LittleEndian.PutUint64(p.program[count:], uint64(len(p.program)-count-8)/8)
	p.shown = append(p.shown, probed{text, size})
}

func (p *Probe) word(n uint64) { p.program = binary.LittleEndian.AppendUint64(p.program, n) }

// Bytes is the program as the prober takes it: bytes that calls name lie in a last operation
// which shows nothing.
func (p *Probe) Bytes() []byte {
	padded := (len(p.data) + 7) / 8
	program := append([]byte(nil), p.program...)
	base := uint64(probeProgram + len(program) + 32)
	for _, at := range p.fixes {
		binary.LittleEndian.PutUint64(program[at:], base+binary.LittleEndian.Uint64(program[at:]))
	}
	for _, n := range []uint64{probeShow, uint64(2 + padded), 0, 0} {
		program = binary.LittleEndian.AppendUint64(program, n)
	}
	program = append(program, p.data...)
	return append(program, make([]byte, 8*padded-len(p.data))...)
}

// Said takes an answer of the prober apart: a line for each call.
// A call without a result has none.
func (p *Probe) Said(answer []byte, readable func([]byte) string) (lines []string) {
	for _, s := range p.shown {
		size := s.size
		if size < 0 {
			size = 8
		}
		if len(answer) < size {
			return append(lines, s.text+" → nothing")
		}
		part := answer[:size]
		answer = answer[size:]
		switch s.size {
		case nothing:
		case -1:
			lines = append(lines, fmt.Sprintf("%s → %d", s.text, int64(binary.LittleEndian.Uint64(part))))
		default:
			lines = append(lines, fmt.Sprintf("%s → %s", s.text, readable(part)))
		}
	}
	return lines
}
