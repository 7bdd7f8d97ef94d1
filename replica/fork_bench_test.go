package replica_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/canistertest/wat"
	"github.com/canisterd/canisterd/daemon/bench/ratio"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
)

// record is as much as a network keeps of a canister.
type record [2048]byte

// forkOf measures a fork of a network of so many canisters; the floor makes as many
// records anew and enters them into a map. Closing the fork does not count. The limit
// keeps 10,000 canisters at half of 50 ms where the floor takes 5; the first fork, which
// makes what the later ones share and writes to memory that is new, is told by itself.
func forkOf(b *testing.B, s *replicatest.Stage, canisters int) {
	records := make(map[principal.Principal]*record, canisters)
	for n := range canisters {
		records[principal.Canister(uint64(n))] = new(record)
	}
	var first, least time.Duration
	fork := func() time.Duration {
		runtime.GC()
		begin := time.Now()
		f := s.Network.Fork(replica.ForkConfig{})
		took := time.Since(begin)
		if least == 0 {
			first, least = took, took
		}
		least = min(least, took)
		f.Close()
		return took
	}
	clone := func() time.Duration {
		runtime.GC()
		begin := time.Now()
		cloned := make(map[principal.Principal]*record, len(records))
		for id, r := range records {
			copied := *r
			cloned[id] = &copied
		}
		took := time.Since(begin)
		runtime.KeepAlive(cloned)
		return took
	}
	ratio.CompareTimed(b, 5, fork, clone)
	b.ReportMetric(float64(first)/1e6, "first-ms")
	b.ReportMetric(float64(least)/1e6, "least-ms")
	inARow(b, s)
	before := live()
	f := s.Network.Fork(replica.ForkConfig{})
	b.ReportMetric(float64(live()-before)/float64(canisters), "bytes/canister")
	f.Close()
}

// inARow tells the mean and the worst of forks that follow each other at once: from time to
// time the garbage of those before is collected beside one.
func inARow(b *testing.B, s *replicatest.Stage) {
	const forks = 100
	var all, worst time.Duration
	for range forks {
		begin := time.Now()
		f := s.Network.Fork(replica.ForkConfig{})
		took := time.Since(begin)
		all += took
		worst = max(worst, took)
		f.Close()
	}
	b.ReportMetric(float64(all)/forks/1e6, "mean-ms")
	b.ReportMetric(float64(worst)/1e6, "worst-ms")
}

// BenchmarkRatioForkOf10000Puppets is a fork of a network whose canisters have no Wasm.
func BenchmarkRatioForkOf10000Puppets(b *testing.B) {
	const canisters = 10_000
	s := replicatest.NewStage(b, replica.Config{})
	for n := range canisters {
		s.Submit(n, "create", "1000000000000")
		if n%1000 == 999 {
			s.Round()
		}
	}
	s.Apply(replica.AdvanceTo(s.View().Time + 600*second)) // the answers to those who made them are forgotten
	s.Round()
	forkOf(b, s, canisters)
}

// BenchmarkRatioForkOf10000Canisters is a fork of a network of canisters that have written
// 1 GiB of heap between them. The messages that made them are still known.
func BenchmarkRatioForkOf10000Canisters(b *testing.B) {
	const canisters = 10_000
	module, err := wat.Assemble(`(module (memory 2)
		(func (export "canister_init") (memory.fill (i32.const 0) (i32.const 1) (i32.const 107374))))`)
	if err != nil {
		b.Fatal(err)
	}
	s := replicatest.NewWasmStage(b, replica.Config{}, module)
	s.Create(canisters, 1e18)
	s.Round()
	before := s.Network.Engine().InUse()
	forkOf(b, s, canisters)
	defer s.Network.Fork(replica.ForkConfig{}).Close()
	if n := s.Network.Engine().InUse(); n != before || before < 1<<30 {
		b.Fatalf("with a fork %d bytes of the checkpoint file are in use, %d were before: heaps are not to be copied", n, before)
	}
}
