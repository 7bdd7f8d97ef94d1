package replica_test

import (
	"encoding/binary"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
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

func BenchmarkARoundWithManyIdleCanisters(b *testing.B) {
	s := replicatest.NewStage(b, replica.Config{})
	for n := range 20_000 {
		s.Submit(n, "create", "1")
	}
	s.Round()
	b.ReportAllocs()
	for b.Loop() {
		s.Round()
	}
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
