package wasm

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tetratelabs/wazero/api"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

var errStop = errors.New("stopped by a host function")

// testHost is what the host functions of the tests see.
type testHost struct {
	got   []uint64
	block func()
}

func testAPI() HostModule {
	host := func(g *Guest) *testHost { return g.Host().(*testHost) }
	return HostModule{Name: rewrite.SystemModule, Functions: []HostFunction{
		{Name: "stop", Call: func(g *Guest, _ []uint64) { g.End(errStop) }},
		{Name: "boom", Call: func(*Guest, []uint64) { panic("a bug in the host") }},
		{Name: "nop", Call: func(*Guest, []uint64) {}},
		{Name: "block", Call: func(g *Guest, _ []uint64) { host(g).block() }},
		{Name: "note", Params: []api.ValueType{i64}, Call: func(g *Guest, s []uint64) { host(g).got = append(host(g).got, s[0]) }},
		{Name: "charge", Params: []api.ValueType{i64}, Call: func(g *Guest, s []uint64) { g.Charge(s[0]) }},
		{Name: "executed", Results: []api.ValueType{i64}, Call: func(g *Guest, s []uint64) { s[0] = g.Executed() }},
	}}
}

func testSignatures(name string, _ bool) (params, results []byte, ok bool) {
	for _, f := range testAPI().Functions {
		if f.Name == name {
			return f.Params, f.Results, true
		}
	}
	return nil, nil, false
}

func newTestEngine(t testing.TB, cfg Config) *Engine {
	t.Helper()
	e, err := NewEngine(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := e.Link(testAPI()); err != nil {
		t.Fatal(err)
	}
	return e
}

func rewritten(t testing.TB, text string) *rewrite.Module {
	t.Helper()
	binary, err := wat.Assemble(text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := rewrite.Rewrite(binary, rewrite.Options{SystemAPI: testSignatures})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compiled(t testing.TB, e *Engine, text string) *Code {
	t.Helper()
	c, err := e.Compile(context.Background(), rewritten(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newTestGuest(t testing.TB, e *Engine, text string) *Guest {
	t.Helper()
	g, err := e.NewGuest(compiled(t, e, text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

var plenty = Budget{Limit: 1e12}

// method is the entry of an exported update method.
func method(name string) Entry { return Entry{Export: "canister_update " + name} }

func run(t testing.TB, g *Guest, name string) *testHost {
	t.Helper()
	host := &testHost{block: func() {}}
	if err := g.Run(method(name), host, plenty); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return host
}

func commit(t testing.TB, g *Guest) Committed {
	t.Helper()
	c, err := g.Commit()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// notes runs a method and returns the one number it noted, leaving the message open.
func notes(t testing.TB, g *Guest, name string) uint64 {
	t.Helper()
	host := run(t, g, name)
	if len(host.got) != 1 {
		t.Fatalf("%s noted %v, want one number", name, host.got)
	}
	return host.got[0]
}

// eachKind runs a test with every kind of heap that works here.
func eachKind(t *testing.T, test func(t *testing.T, kind HeapKind)) {
	for _, kind := range HeapKinds() {
		t.Run(string(kind), func(t *testing.T) { test(t, kind) })
	}
}

const counter = `(module
	(import "ic0" "note" (func $note (param i64)))
	(import "ic0" "stop" (func $stop))
	(memory 1)
	(global $n (mut i64) (i64.const 5))
	(data (i32.const 8) "\07")
	(func (export "canister_update inc")
		(global.set $n (i64.add (global.get $n) (i64.const 1)))
		(i64.store (i32.const 8) (i64.add (i64.load (i32.const 8)) (i64.const 1))))
	(func (export "canister_update heap") (call $note (i64.load (i32.const 8))))
	(func (export "canister_update global") (call $note (global.get $n)))
	(func (export "canister_update size") (call $note (i64.extend_i32_u (memory.size))))
	(func (export "canister_update grow")
		(drop (memory.grow (i32.const 20)))
		(i64.store (i32.const 1000000) (i64.const 99)))
	(func (export "canister_update big") (call $note (i64.load (i32.const 1000000))))
	(func $inner (export "canister_update trap") (i64.store (i32.const 8) (i64.const 1)) (unreachable))
	(func (export "canister_update stop") (i64.store (i32.const 8) (i64.const 1)) (call $stop)))`

func TestAMessageIsATransaction(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), counter)
		check := func(when string, heap, global uint64) {
			t.Helper()
			if got := notes(t, g, "heap"); got != heap {
				t.Errorf("%s: heap has %d, want %d", when, got, heap)
			}
			if got := notes(t, g, "global"); got != global {
				t.Errorf("%s: global is %d, want %d", when, got, global)
			}
			g.Rollback()
		}
		check("installed", 7, 5)
		run(t, g, "inc")
		if c := commit(t, g); c.DirtyPages != 1 || c.HeapBytes != WasmPageSize {
			t.Errorf("commit of inc: %+v", c)
		}
		check("after commit", 8, 6)
		run(t, g, "inc")
		g.Rollback()
		check("after rollback", 8, 6)
		for _, name := range []string{"trap", "stop"} {
			if err := g.Run(method(name), nil, plenty); err == nil {
				t.Errorf("%s ended well", name)
			}
			g.Rollback()
			check("after "+name, 8, 6)
		}
		run(t, g, "grow")
		g.Rollback()
		check("after rollback of growing", 8, 6)
		run(t, g, "grow")
		if c := commit(t, g); c.DirtyPages != 1 || c.HeapBytes != 21*WasmPageSize {
			t.Errorf("commit of growing: %+v", c)
		}
		check("after growing", 8, 6)
		if got := notes(t, g, "big"); got != 99 {
			t.Errorf("grown memory has %d, want 99", got)
		}
		g.Rollback()
	})
}

func TestTrapsAreTyped(t *testing.T) {
	cases := []struct {
		name, body string
		kind       TrapKind
	}{
		{"unreachable", `unreachable`, Unreachable},
		{"heap", `(drop (i32.load (i32.const 65533)))`, HeapOutOfBounds},
		{"division", `(drop (i32.div_u (i32.const 1) (i32.const 0)))`, IntegerDivByZero},
		{"overflow", `(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))`, IntegerOverflow},
		{"conversion", `(drop (i32.trunc_f64_s (f64.const nan)))`, InvalidConversion},
		{"table", `(call_indirect (i32.const 10))`, TableOutOfBounds},
		{"signature", `(call_indirect (param i32) (i32.const 1) (i32.const 0))`, BadSignature},
		{"recursion", `(call $f)`, StackOverflow},
	}
	e := newTestEngine(t, Config{})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := newTestGuest(t, e, fmt.Sprintf(`(module (memory 1) (table 2 funcref) (elem (i32.const 0) $f)
				(func $f %s) (func (export "canister_update f") (call $f))
				(func (export "canister_update fine")))`, c.body))
			for range 2 {
				err := g.Run(method("f"), nil, plenty)
				var trap *Trap
				if !errors.As(err, &trap) || trap.Kind != c.kind {
					t.Fatalf("ended with %v, want %v", err, c.kind)
				}
				if c.kind != StackOverflow && (len(trap.Backtrace) != 2 || trap.Backtrace[0].Name != "f") {
					t.Errorf("backtrace %+v", trap.Backtrace)
				}
				g.Rollback()
				run(t, g, "fine")
				commit(t, g)
			}
		})
	}
}
