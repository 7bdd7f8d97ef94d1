package replica_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// record is as much as a network keeps of a canister.
type record [2048]byte

// forkOf measures a fork of a network with a number of canisters, with something after it that counts, too; the floor
// allocates as many records and enters them into a map. Closing the fork does not count. The first fork, which makes
// what the later ones share and writes to memory that is new, is reported separately.
func forkOf(b *testing.B, s *replicatest.Stage, canisters int, limit float64, then func(*replica.Network)) {
	records := make(map[principal.Principal]*record, canisters)
	for n := range canisters {
		records[principal.Canister(uint64(n))] = new(record)
	}
	var first, least time.Duration
	fork := func() time.Duration {
		runtime.GC()
		begin := time.Now()
		f := s.Network.Fork(replica.ForkConfig{})
		then(f)
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
	ratio.CompareTimed(b, limit, fork, clone)
	b.ReportMetric(float64(first)/1e6, "first-ms")
	b.ReportMetric(float64(least)/1e6, "least-ms")
	inARow(b, s, then)
	before := heapInUse()
	f := s.Network.Fork(replica.ForkConfig{})
	then(f)
	b.ReportMetric(float64(heapInUse()-before)/float64(canisters), "bytes/canister")
	f.Close()
}

// untouched leaves a fork as it is.
func untouched(*replica.Network) {}

// inARow tells the mean and the worst of forks that follow each other at once: from time to
// time the garbage of those before is collected beside one.
func inARow(b *testing.B, s *replicatest.Stage, then func(*replica.Network)) {
	const forks = 100
	var all, worst time.Duration
	for range forks {
		begin := time.Now()
		f := s.Network.Fork(replica.ForkConfig{})
		then(f)
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
	forkOf(b, s, canisters, 1, untouched)
}

// written is a network of canisters that have written 1 GiB of heap between them. The
// messages that made them are still known.
func written(b *testing.B, canisters int) *replicatest.Stage {
	module, err := wat.Assemble(`(module (memory 2)
		(func (export "canister_init") (memory.fill (i32.const 0) (i32.const 1) (i32.const 107374))))`)
	if err != nil {
		b.Fatal(err)
	}
	s := replicatest.NewWasmStage(b, replica.Config{}, module)
	s.Create(canisters, 1e18)
	s.Round()
	if n := s.Network.Engine().InUse(); n < 1<<30 {
		b.Fatalf("%d bytes of the checkpoint file are in use: the heaps are not written", n)
	}
	return s
}

// uncopied fails where a fork takes a byte of the checkpoint file.
func uncopied(b *testing.B, s *replicatest.Stage, then func(*replica.Network)) {
	before := s.Network.Engine().InUse()
	f := s.Network.Fork(replica.ForkConfig{})
	defer f.Close()
	then(f)
	if n := s.Network.Engine().InUse(); n != before {
		b.Fatalf("with a fork %d bytes of the checkpoint file are in use, %d were before: heaps are not to be copied", n, before)
	}
}

// BenchmarkRatioForkOf10000Canisters is a fork until it can go on.
func BenchmarkRatioForkOf10000Canisters(b *testing.B) {
	s := written(b, 10_000)
	forkOf(b, s, 10_000, 1, untouched)
	uncopied(b, s, untouched)
}

// BenchmarkForkAndCloseOf10000Canisters is a fork that is closed at once, as many of an exploration are.
func BenchmarkForkAndCloseOf10000Canisters(b *testing.B) {
	s := written(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		f := s.Network.Fork(replica.ForkConfig{})
		f.Close()
	}
}

// BenchmarkRatioForkThatUses10000Canisters is a fork that takes all its canisters for itself,
// which it had together with its source before. Few forks ever pay for that.
func BenchmarkRatioForkThatUses10000Canisters(b *testing.B) {
	s := written(b, 10_000)
	forkOf(b, s, 10_000, 5, (*replica.Network).UseAll)
	uncopied(b, s, (*replica.Network).UseAll)
}
