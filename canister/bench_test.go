package canister_test

import (
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/canister/canistertest"
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
