package replica_test

import (
	"encoding/binary"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// run submits one message and runs a round.
func run(b *testing.B, s *replicatest.Stage, sent uint64, program []byte) {
	in := replica.Ingress{Sender: s.Sender, Receiver: s.ID(0), Effective: s.ID(0), Method: "run", Arg: program, Expiry: s.View().Time + replica.MaxIngressTTL}
	binary.BigEndian.PutUint64(in.ID[:], sent+1<<32)
	if r := s.Apply(&in); r.Reject != nil || r.Refusal != nil {
		b.Fatal(r)
	}
	s.Round()
}

func benchmark(b *testing.B, program string) {
	s := replicatest.NewStage(b, replica.Config{})
	s.Create(3, plenty*1000)
	b.ReportAllocs()
	for sent := uint64(0); b.Loop(); sent++ {
		run(b, s, sent, []byte(program))
	}
}

func BenchmarkAnUpdateInItsOwnRound(b *testing.B) { benchmark(b, "reply x") }

func BenchmarkAnUpdateWithOneCall(b *testing.B) { benchmark(b, "call 1 (reply x) then (echo)") }

// rounds are rounds of one update each, a millisecond apart, in a network with a number of idle canisters.
func rounds(b *testing.B, idle int) ratio.Work {
	s := replicatest.NewStage(b, replica.Config{})
	s.Create(1, plenty*1000)
	for n := range idle {
		s.Submit(n+1, "create", "1")
		if n%1000 == 0 {
			s.Round()
		}
	}
	s.Round()
	sent := uint64(0)
	return func(n int) {
		for range n {
			sent++
			s.Apply(replica.AdvanceTo(s.View().Time + 1_000_000))
			run(b, s, sent, []byte("reply x"))
		}
	}
}

// BenchmarkRatioRoundAmong100000IdleCanisters is a round with one update among 100,000 idle
// canisters; the floor is the same round among 10.
func BenchmarkRatioRoundAmong100000IdleCanisters(b *testing.B) {
	ratio.Compare(b, 1.5, rounds(b, 100_000), rounds(b, 10))
}

func BenchmarkAThousandUpdatesInOneRound(b *testing.B) {
	s := replicatest.NewStage(b, replica.Config{})
	s.Create(1, plenty*1000)
	program := []byte("reply x")
	b.ReportAllocs()
	sent := uint64(0)
	for b.Loop() {
		for range 1000 {
			sent++
			in := replica.Ingress{Sender: s.Sender, Receiver: s.ID(0), Effective: s.ID(0), Method: "run", Arg: program, Expiry: s.View().Time + replica.MaxIngressTTL}
			binary.BigEndian.PutUint64(in.ID[:], sent+1<<32)
			s.Apply(&in)
		}
		s.Round()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/update")
}
