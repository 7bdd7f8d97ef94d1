package rewrite

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

const sample = `(module
  (import "ic0" "msg_reply" (func $reply)) (import "ic0" "debug_print" (func (param i32 i32)))
  (memory 2) (table 4 funcref) (elem (i32.const 1) $init)
  (global $a (mut i32) (i32.const 7)) (global $b i64 (i64.const 1)) (global $c (export "own") (mut v128) (v128.const i64x2 1 2))
  (data (i32.const 16) "active") (data $p "passive") (data (i32.const 8) "again")
  (func $start i32.const 9 global.set $a)
  (func $init (export "canister_init") i32.const 0 i32.const 0 i32.const 7 memory.init $p)
  (func (export "canister_heartbeat"))
  (func (export "canister_update b")) (func (export "canister_query c d")) (func (export "canister_update a") call $reply)
  (func $closure (param i32) local.get 0 global.set $a)
  (func (export "canisterd memory"))
  (elem (i32.const 2) $closure)
  (start $start)
  (@custom "icp:public candid:service" "service : {}") (@custom "icp:private x" "y") (@custom "other" "z"))`

func TestAModuleIsDescribed(t *testing.T) {
	raw := assemble(t, sample)
	m, err := Rewrite(raw, canisterOptions)
	if err != nil {
		t.Fatal(err)
	}
	if m.Hash != sha256.Sum256(raw) || m.BinaryHash != sha256.Sum256(m.Binary) || m.Size != len(raw) || m.UploadedSize != len(raw) {
		t.Error("hashes or sizes")
	}
	want := &Module{
		Hash: m.Hash, BinaryHash: m.BinaryHash, Binary: m.Binary, Size: m.Size, UploadedSize: m.UploadedSize,
		HasMemory: true, HasTable: true, TableSize: 4, MemoryMin: 2, MemoryMax: 65536, Imports: []string{"debug_print", "msg_reply"},
		Globals:   []Global{{0, "canisterd global 0", 0x7f}, {2, "canisterd global 2", 0x7b}},
		Exposed:   []ExposedGlobal{{Index: 2, Type: 0x7b, Mutable: true}, {Index: 0, Type: 0x7f, Mutable: true}},
		Data:      []DataSegment{{16, []byte("active")}, {8, []byte("again")}},
		Start:     StartFunction,
		Entries:   Entries{Init: true, Heartbeat: true},
		Methods:   []Method{{Update, "a", "canister_update a"}, {Update, "b", "canister_update b"}, {Query, "c d", "canister_query c d"}},
		Custom:    []CustomSection{{"candid:service", true, []byte("service : {}")}, {"x", false, []byte("y")}},
		Functions: 10, Operators: m.Operators, InstructionCost: m.InstructionCost, CompileTime: m.CompileTime, SlowestFunction: m.SlowestFunction,
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("have %+v\nwant %+v", m, want)
	}
	probed, err := Rewrite(raw, probedOptions)
	if err != nil {
		t.Fatal(err)
	}
	if name := probed.FunctionName; name(0) != "reply" || name(2) != "start" || name(4) != "" || name(99) != "" {
		t.Error("function names")
	}
}

func TestTheHostRunsStartClosuresAndData(t *testing.T) {
	text := strings.ReplaceAll(sample, `(import "ic0" "msg_reply" (func $reply)) (import "ic0" "debug_print" (func (param i32 i32)))`, `(func $reply)`)
	m := rewriteText(t, text, canisterOptions)
	g := start(t, m)
	memory, global := g.inst.ExportedMemory(ExportedMemory), g.inst.ExportedGlobal(m.Globals[0].Export)
	if b, _ := memory.Read(16, 6); string(b) != "\x00\x00\x00\x00\x00\x00" {
		t.Errorf("active data was not taken out: %q", b)
	}
	if global.Get() != 7 {
		t.Error("start ran by itself")
	}
	if _, err := g.call(m.Start); err != nil || global.Get() != 9 {
		t.Errorf("start: %v %d", err, global.Get())
	}
	if _, err := g.call("canister_init"); err != nil {
		t.Fatal(err)
	}
	if b, _ := memory.Read(0, 7); string(b) != "passive" {
		t.Errorf("memory.init of the second segment: %q", b)
	}
	if _, err := g.call(CallClosure, 2, 77); err != nil || global.Get() != 77 {
		t.Errorf("closure: %v %d", err, global.Get())
	}
	for fn, want := range map[uint64]string{0: "invalid table access", 1: "indirect call type mismatch", 9: "invalid table access"} {
		if _, err := g.call(CallClosure, fn, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("closure %d: %v", fn, err)
		}
	}
}

func TestAWideModuleImportsAWideSystemAPI(t *testing.T) {
	m := rewriteText(t, `(module (import "ic0" "debug_print" (func (param i64 i64))) (import "ic0" "stable64_write" (func (param i64 i64 i64)))
	  (memory i64 1) (table i64 3 funcref) (elem (i64.const 1) $c) (global $g (mut i64) (i64.const 0)) (data (i64.const 5) "x")
	  (func $c (param i64) local.get 0 global.set $g))`, canisterOptions)
	if m.Operators != 72+107+2+3+10 {
		t.Errorf("%d operators", m.Operators)
	}
	compiled, err := engine(t).CompileModule(context.Background(), m.Binary)
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, f := range compiled.ImportedFunctions() {
		module, _, _ := f.Import()
		modules = append(modules, module)
	}
	if !reflect.DeepEqual(modules, []string{WideSystemModule, WideSystemModule, ModuleName, ModuleName, ModuleName, ModuleName}) {
		t.Error(modules)
	}
}

func compressed(t testing.TB, raw []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(raw)
	w.Close()
	return b.Bytes()
}

func TestCompressedModulesAreExpandedWithinBounds(t *testing.T) {
	raw := assemble(t, sample)
	zipped := compressed(t, raw)
	m, err := Rewrite(zipped, canisterOptions)
	if err != nil || m.Hash != sha256.Sum256(zipped) || m.UploadedSize != len(zipped) || m.Size != len(raw) {
		t.Fatalf("%+v %v", m, err)
	}
	lie := func(size uint32) []byte {
		z := bytes.Clone(zipped)
		binary.LittleEndian.PutUint32(z[len(z)-4:], size)
		return z
	}
	for _, c := range []struct {
		upload []byte
		want   string
	}{
		{[]byte("hello"), "Failed to decode wasm module: unsupported canister module format."},
		{nil, "Failed to decode wasm module: unsupported canister module format."},
		{zipped[:12], "Failed to decode wasm module: invalid Wasm module: gzip stream is too short."},
		{lie(200_000_000), "Wasm module size of 200000000 exceeds the maximum allowed size of 104857600."},
		{lie(10), "Failed to decode wasm module: specified uncompressed size 10 does not match extracted size 11."},
		{compressed(t, bytes.Repeat([]byte{0}, 1<<20))[:40], ""},
		{zipped[:len(zipped)/2], ""},
	} {
		_, err := Rewrite(c.upload, canisterOptions)
		if err == nil || !strings.HasPrefix(err.Error(), notValid+c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
