package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/certify"
	"github.com/canisterd/canisterd/replica/replicatest"
)

var script = canistertest.Script

func wasmStage(t testing.TB, config replica.Config, canisters int) *replicatest.Stage {
	t.Helper()
	s := replicatest.NewWasmStage(t, config, canistertest.Scriptable())
	s.Create(canisters, plenty)
	return s
}

func TestAnUpdateWithThreeNestedCallsOfWasmCanistersFinishesInOneRound(t *testing.T) {
	s := wasmStage(t, replica.Config{}, 4)
	program := script().ReplyText("deep")
	for n := 3; n > 0; n-- {
		program = script().Call(canistertest.Call{Callee: s.ID(n), Program: program, OnReply: script().Arg().ReplyTop()})
	}
	before := s.View().Height
	expect(t, "the update", s.Run(0, string(program.Bytes())), "replied: deep")
	if rounds := s.View().Height - before; rounds != 1 {
		t.Errorf("it took %d rounds", rounds)
	}
}

func TestATrapAfterAnAwaitKeepsTheStateBeforeIt(t *testing.T) {
	s := wasmStage(t, replica.Config{}, 2)
	program := script().Count(1).Call(canistertest.Call{
		Callee: s.ID(1), Program: script().ReplyText("x"), OnReply: script().Count(10).Trap("late"), OnCleanup: script().Count(100),
	})
	expect(t, "the update", s.Run(0, string(program.Bytes())), "rejected 5 IC0503")
	expect(t, "the register", s.Run(0, string(script().Get().ReplyInt().Bytes())), "replied: \x65\x00")
}

func query(s *replicatest.Stage, n int, method string, program *canistertest.Program) replica.QueryResult {
	return s.PrepareQuery(&replica.Query{Sender: s.Sender, Receiver: s.ID(n), Effective: s.ID(n), Method: method, Arg: program.Bytes()}).Run()
}

func TestAQueryReadsItsDataCertificate(t *testing.T) {
	s := wasmStage(t, replica.Config{}, 1)
	expect(t, "certify", s.Run(0, string(script().Certify([]byte("proved")).ReplyText("done").Bytes())), "replied: done")
	result := query(s, 0, "query", script().Certificate().ReplyTop())
	if result.Reject != nil || result.Refusal != nil {
		t.Fatalf("query: %v %v", result.Reject, result.Refusal)
	}
	certificate, err := certify.DecodeCertificate(result.Reply)
	if err != nil {
		t.Fatal(err)
	}
	root, err := certify.ParseSubnetPublicKey(s.RootKey())
	if err != nil {
		t.Fatal(err)
	}
	if err := certificate.VerifyForCanister(root, s.ID(0)); err != nil {
		t.Error(err)
	}
	if value, _ := certificate.Tree.Lookup(certify.CanisterPath(s.ID(0), "certified_data")...); string(value) != "proved" {
		t.Errorf("the certificate says %q", value)
	}
}

func TestALoopingWasmCanisterIsParkedAndAbandoned(t *testing.T) {
	s := wasmStage(t, replica.Config{}, 2)
	submit(t, s, 0, "run", string(script().Busy(30_000_000_000).ReplyText("long").Bytes()))
	s.Round()
	for range 3 {
		expect(t, "the other", s.Run(1, string(script().ReplyText("quick").Bytes())), "replied: quick")
	}
	if parked := s.Census().Parked; parked != 1 {
		t.Errorf("%d messages are parked", parked)
	}
}

func BenchmarkAWasmUpdateInItsOwnRound(b *testing.B) {
	s := wasmStage(b, replica.Config{}, 1)
	program := script().ReplyText("x").Bytes()
	b.ReportAllocs()
	for sent := uint64(0); b.Loop(); sent++ {
		run(b, s, sent, program)
	}
}
