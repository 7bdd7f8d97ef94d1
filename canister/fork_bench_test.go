package canister_test

import (
	"testing"
	"time"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
)

// BenchmarkForkOfTenThousand forks 10,000 canisters with 1 GiB of heap in all, every page of it
// written: what the canisters' part of forking a network takes. After each fork all of them are closed, which is not timed.
func BenchmarkForkOfTenThousand(b *testing.B) {
	const canisters = 10_000
	p := canistertest.NewPlace(b)
	m := p.Wat(`(module (import "ic0" "msg_reply" (func $reply)) (memory 2)
		(func (export "canister_init") (memory.fill (i32.const 0) (i32.const 1) (i32.const 107374)))
		(func (export "canister_update inc")
			(i64.store (i32.const 8) (i64.add (i64.load (i32.const 8)) (i64.const 1))) (call $reply)))`)
	all := make([]*canister.Canister, canisters)
	for i := range all {
		all[i] = p.Canister(m, nil)
	}
	forks := make([]*canister.Canister, canisters)
	var took time.Duration
	before := p.Engine.InUse()
	for b.Loop() {
		start := time.Now()
		for i, c := range all {
			forks[i] = c.Fork()
		}
		took += time.Since(start)
		if n := p.Engine.InUse(); n != before {
			b.Fatalf("forks take %d bytes of the checkpoint file", n-before)
		}
		for _, f := range forks {
			f.Close()
		}
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms/fork")
	b.ReportMetric(50, "limit-ms")
}

// BenchmarkForkOfANetwork forks a network of 10,000 canisters with 1 GiB of heap in all.
func BenchmarkForkOfANetwork(b *testing.B) {
	const canisters = 10_000
	s := replicatest.NewWasmStage(b, replica.Config{}, assembled(b, `(module (import "ic0" "msg_reply" (func $reply)) (memory 2)
		(func (export "canister_init") (memory.fill (i32.const 0) (i32.const 1) (i32.const 107374))))`))
	s.Create(canisters, 1e18)
	s.Round()
	var took, closing time.Duration
	for b.Loop() {
		start := time.Now()
		f := s.Network.Fork(replica.ForkConfig{})
		took += time.Since(start)
		start = time.Now()
		f.Close()
		closing += time.Since(start)
	}
	b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "ms/fork")
	b.ReportMetric(float64(closing.Microseconds())/1000/float64(b.N), "ms/close")
	b.ReportMetric(50, "limit-ms")
}
