//go:build components

package wave

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/component"
)

// TestWasmtimeReturnsTheSameValues draws types and values of them, and passes each value through a component that returns it, in
// this host and in wasmtime: both must read the same call, and write the same result.
func TestWasmtimeReturnsTheSameValues(t *testing.T) {
	const functions, values = 60, 5
	d := &drawing{rand.New(rand.NewPCG(1, 2)), strings.Builder{}, 0}
	var exports strings.Builder
	for i := range functions {
		typ := "(tuple " + d.typ(3) + strings.Repeat(" u8", padding) + ")"
		fmt.Fprintf(&exports, "(func (export \"echo%d\") (param \"v\" %s) (result %[2]s) (canon lift (core func $m \"same\") (memory $mem) (realloc $realloc)))\n", i, typ)
	}
	folder := t.TempDir()
	text, file := filepath.Join(folder, "echo.wat"), filepath.Join(folder, "echo.wasm")
	if err := os.WriteFile(text, []byte("(component"+echoing+d.declared.String()+exports.String()+")"), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, os.Getenv("CANISTERD_WASM_TOOLS"), "parse", text, "--output", file)
	binary, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := component.Compile(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = compiled.Close(context.Background()) })
	instance, err := compiled.Instantiate(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range compiled.Exports() {
		if e.Func == nil {
			continue
		}
		typ := e.Func.Params[0].Type
		for range values {
			written := Write(d.value(typ), typ)
			call := e.Name + "(" + written + ")"
			args, err := ReadCall(call).Arguments(e.Func.Params)
			if err != nil {
				t.Fatalf("%s: %v", call, err)
			}
			result, err := instance.Call(t.Context(), e.Name, args...)
			if err != nil {
				t.Fatalf("%s: %v", call, err)
			}
			ours, theirs := Write(result, typ), output(t, os.Getenv("CANISTERD_WASMTIME"), "run", "--invoke", call, file)
			if ours != written || theirs != written {
				t.Errorf("%s: here\n%s\nin wasmtime\n%s", call, ours, theirs)
			}
		}
	}
}

func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, args...).Output() //nolint:gosec // a tool that the Makefile installed
	if failed, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%q: %v\n%s", args, err, failed.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// padding are the numbers behind a value, which make the tuple of both too large for anything but memory: then the result is
// where the argument is.
const padding = 16

const echoing = `
	(core module $M
		(memory (export "mem") 16)
		(global $next (mut i32) (i32.const 0))
		(func (export "realloc") (param $old i32) (param $size i32) (param $align i32) (param $new i32) (result i32) (local $at i32)
			(local.set $at (i32.and (i32.add (global.get $next) (i32.sub (local.get $align) (i32.const 1))) (i32.sub (i32.const 0) (local.get $align))))
			(global.set $next (i32.add (local.get $at) (local.get $new)))
			(local.get $at))
		(func (export "same") (param i32) (result i32) (local.get 0)))
	(core instance $m (instantiate $M))
	(alias core export $m "mem" (core memory $mem))
	(alias core export $m "realloc" (core func $realloc))
`

// drawing draws types, in the text format, and values.
type drawing struct {
	*rand.Rand
	declared strings.Builder // types with a name
	names    int
}

func (d *drawing) typ(depth int) string {
	primitives := []string{"bool", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "f32", "f64", "char", "string"}
	if depth == 0 || d.IntN(4) == 0 {
		return primitives[d.IntN(len(primitives))]
	}
	inner := func() string { return d.typ(depth - 1) }
	switch d.IntN(8) {
	case 0:
		return "(list " + inner() + ")"
	case 1:
		return "(tuple " + inner() + " " + inner() + ")"
	case 2:
		return "(option " + inner() + ")"
	case 3:
		return []string{"(result)", "(result " + inner() + ")", "(result (error " + inner() + "))", "(result " + inner() + " (error " + inner() + "))"}[d.IntN(4)]
	case 4:
		return d.named("record", d.some(func(n int) string { return fmt.Sprintf("(field \"f%d\" %s)", n, inner()) }))
	case 5:
		return d.named("variant", d.some(func(n int) string {
			if d.IntN(3) == 0 {
				return fmt.Sprintf("(case \"c%d\")", n)
			}
			return fmt.Sprintf("(case \"c%d\" %s)", n, inner())
		}))
	case 6:
		return d.named("enum", d.some(func(n int) string { return fmt.Sprintf("\"e%d\"", n) }))
	}
	return d.named("flags", d.some(func(n int) string { return fmt.Sprintf("\"g%d\"", n) }))
}

func (d *drawing) some(item func(n int) string) string {
	var all strings.Builder
	for n := range 1 + d.IntN(4) {
		all.WriteString(" " + item(n))
	}
	return all.String()
}

// named declares a type that needs a name, and gives its index.
func (d *drawing) named(constructor, items string) string {
	d.names++
	fmt.Fprintf(&d.declared, "(type $d%d (%s%s))\n(export $t%[1]d \"t%[1]d\" (type $d%[1]d))\n", d.names, constructor, items)
	return fmt.Sprintf("$t%d", d.names)
}

func (d *drawing) value(t component.Type) any {
	fields := t.Fields()
	switch t.Kind() {
	case component.KindString:
		var text strings.Builder
		for range d.IntN(6) {
			text.WriteRune(d.character())
		}
		return text.String()
	case component.KindList:
		if fields[0].Type.Kind() == component.KindU8 {
			return d.bytes()
		}
		all := []any{}
		for range d.IntN(4) {
			all = append(all, d.value(fields[0].Type))
		}
		return all
	case component.KindRecord, component.KindTuple:
		all := make([]any, len(fields))
		for i, f := range fields {
			all[i] = d.value(f.Type)
		}
		return all
	case component.KindEnum:
		return component.Enum(d.IntN(len(fields)))
	case component.KindFlags:
		return component.Flags(d.IntN(1 << len(fields)))
	case component.KindOption:
		if d.IntN(2) == 0 {
			return component.Variant{}
		}
		return component.Variant{Case: 1, Payload: d.value(t.Element())}
	case component.KindVariant, component.KindResult:
		v := component.Variant{Case: uint32(d.IntN(len(fields)))}
		if payload := fields[v.Case].Type; payload != (component.Type{}) {
			v.Payload = d.value(payload)
		}
		return v
	}
	return d.primitive(t.Kind())
}

func (d *drawing) bytes() []byte {
	p := make([]byte, d.IntN(5))
	for i := range p {
		p[i] = byte(d.Uint32())
	}
	return p
}

func (d *drawing) character() rune {
	from := []string{"az09 _-", "\t\n\r\"'\\\x00\x1b\x7f", "éß\u00a0\u00ad", "Ω∀\u0301\u200b", "漢字\U0001f600\U0010ffff"}[d.IntN(5)]
	all := []rune(from)
	return all[d.IntN(len(all))]
}

// primitive draws numbers of every size: their bits are drawn, and how many of them are kept.
func (d *drawing) primitive(kind component.Kind) any {
	bits := d.Uint64() >> d.IntN(64)
	if d.IntN(2) == 0 {
		bits = -bits
	}
	switch kind {
	case component.KindBool:
		return bits%2 == 0
	case component.KindS8:
		return int8(bits)
	case component.KindU8:
		return uint8(bits)
	case component.KindS16:
		return int16(bits)
	case component.KindU16:
		return uint16(bits)
	case component.KindS32:
		return int32(bits)
	case component.KindU32:
		return uint32(bits)
	case component.KindS64:
		return int64(bits)
	case component.KindF32:
		return math.Float32frombits(uint32(bits))
	case component.KindF64:
		return math.Float64frombits(bits)
	case component.KindChar:
		return component.Char(d.character())
	}
	return bits
}
