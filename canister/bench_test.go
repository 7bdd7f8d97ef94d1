package canister_test

import (
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

// The benchmarks print their time as a multiple of the floor: the smallest message there is,
// an update of no instructions, measured in the same run.
func BenchmarkMessages(b *testing.B) {
	p := canistertest.NewPlace(b)
	tiny := p.Canister(p.Wat(`(module (import "ic0" "msg_reply" (func $reply)) (import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
		(memory 1) (func (export "canister_update u"))
		(func (export "canister_update inc") (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1))) (call $append (i32.const 0) (i32.const 4)) (call $reply))
		(func (export "canister_query get") (call $append (i32.const 0) (i32.const 4)) (call $reply)))`), nil)
	motoko := p.Canister(p.Module(fixture(b, "counter.wasm")), noArgument)
	run := func(c *canister.Canister, method string, arg []byte) func() {
		m := canister.Message{Context: canister.Update, Method: method, Payload: arg, Caller: canistertest.User}
		return func() {
			if out := c.Execute(&p.Subnet, &m); out.Failure != nil {
				b.Fatal(out.Failure)
			}
		}
	}
	ask := func(c *canister.Canister, method string, arg []byte) func() {
		m := canister.Message{Context: canister.Query, Method: method, Payload: arg, Caller: canistertest.User}
		return func() {
			q, _ := c.PrepareQuery()
			if out := q.Run(&p.Subnet, &m); out.Failure != nil {
				b.Fatal(out.Failure)
			}
			q.Release()
		}
	}
	floor := 0.0
	for _, x := range []struct {
		name string
		run  func()
	}{
		{"nothing", run(tiny, "u", nil)},
		{"count and reply", run(tiny, "inc", nil)},
		{"query", ask(tiny, "get", nil)},
		{"Motoko update", run(motoko, "inc", noArgument)},
		{"Motoko query", ask(motoko, "get", noArgument)},
	} {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x.run()
			}
			each := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			if floor == 0 {
				floor = each
			}
			b.ReportMetric(each/floor, "floors")
		})
	}
}

// BenchmarkSystemCalls prints what one call of a function costs, in nanoseconds and as a
// multiple of the cheapest one.
func BenchmarkSystemCalls(b *testing.B) {
	p := canistertest.NewPlace(b)
	const calls = 10_000
	floor := 0.0
	for _, x := range []struct{ name, types, call string }{
		{"stable64_size", "(result i64)", "(drop (call $f))"},
		{"time", "(result i64)", "(drop (call $f))"},
		{"performance_counter", "(param i32) (result i64)", "(drop (call $f (i32.const 0)))"},
		{"msg_caller_copy", "(param i32 i32 i32)", "(call $f (i32.const 0) (i32.const 0) (i32.const 29))"},
		{"canister_cycle_balance128", "(param i32)", "(call $f (i32.const 0))"},
		{"canister_liquid_cycle_balance128", "(param i32)", "(call $f (i32.const 0))"},
		{"stable64_write", "(param i64 i64 i64)", "(call $f (i64.const 0) (i64.const 0) (i64.const 8))"},
		{"stable64_read", "(param i64 i64 i64)", "(call $f (i64.const 0) (i64.const 0) (i64.const 8))"},
	} {
		c := p.Canister(p.Wat(fmt.Sprintf(`(module (import "ic0" %q (func $f %s)) (import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
			(memory 1) (func (export "canister_init") (drop (call $grow (i64.const 1))))
			(func (export "canister_update u") (local $n i32) (local.set $n (i32.const %d))
			  (loop $more %s (br_if $more (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))`, x.name, x.types, calls, x.call)), nil)
		m := canister.Message{Context: canister.Update, Method: "u", Caller: canistertest.User}
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if out := c.Execute(&p.Subnet, &m); out.Failure != nil {
					b.Fatal(out.Failure)
				}
			}
			each := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / calls
			if floor == 0 {
				floor = each
			}
			b.ReportMetric(each, "ns/call")
			b.ReportMetric(each/floor, "floors")
		})
	}
}
