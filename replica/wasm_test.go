package replica_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/test/canistertest"
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

func TestARoundGoesOnWithFewOfTheParkedMessagesAndAllTakeTurns(t *testing.T) {
	const canisters, slice = 11, 1_000_000
	s := wasmStage(t, replica.Config{SliceInstructions: slice, Runner: new(replica.Coroutines)}, canisters)
	for n := range canisters - 1 {
		submit(t, s, n, "run", string(script().Busy(100*slice).ReplyText("long").Bytes()))
	}
	s.Round()
	for round := range 40 {
		if report := s.Round(); report.Instructions < 4*slice || report.Instructions > (4+1)*slice {
			t.Fatalf("a round ran %d instructions, want 4 slices of %d and at most a message", report.Instructions, slice)
		}
		if round == 20 {
			before := s.View().Height
			expect(t, "the other", s.Run(canisters-1, string(script().ReplyText("quick").Bytes())), "replied: quick")
			if rounds := s.View().Height - before; rounds != 1 {
				t.Errorf("beside parked messages an update took %d rounds", rounds)
			}
		}
		if least, most := s.Slices(); most-least > 2 {
			t.Fatalf("after %d rounds one message had %d slices and another %d", round, least, most)
		}
	}
	if parked := s.Census().Parked; parked != canisters-1 {
		t.Errorf("%d messages are parked, want %d", parked, canisters-1)
	}
}

// An update from its acceptance to the certified view, against the execution of
// the same message on the engine alone.
func BenchmarkAWasmUpdateInItsOwnRound(b *testing.B) {
	program := script().ReplyText("x")
	place := canistertest.NewPlace(b)
	bare := place.Scriptable()
	const times = 5000
	b.ResetTimer()
	for range times {
		place.Run(bare, program)
	}
	floor := float64(b.Elapsed().Nanoseconds()) / times
	s := wasmStage(b, replica.Config{}, 1)
	b.ReportAllocs()
	b.ResetTimer()
	for sent := uint64(0); b.Loop(); sent++ {
		run(b, s, sent, program.Bytes())
	}
	each := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(each/floor, "x-engine")
	b.ReportMetric((each-floor)/1000, "µs-over-engine")
}

func TestCompositeQueriesAskOtherCanisters(t *testing.T) {
	s := wasmStage(t, replica.Config{}, 3)
	ask := func(n int, program *canistertest.Program) *canistertest.Program {
		return script().Call(canistertest.Call{Callee: s.ID(n), Method: "ask", Program: program, OnReply: script().Arg().ReplyTop()})
	}
	if got := query(s, 0, "ask", ask(1, ask(2, script().ReplyText("deep")))); string(got.Reply) != "deep" {
		t.Errorf("two calls deep: %q, %v", got.Reply, got.Reject)
	}
	plain := script().Call(canistertest.Call{Callee: s.ID(1), Method: "query", Program: script().ReplyText("plain"), OnReply: script().Arg().ReplyTop()})
	if got := query(s, 0, "ask", plain); string(got.Reply) != "plain" {
		t.Errorf("a query method: %q, %v", got.Reply, got.Reject)
	}
	if got := query(s, 0, "ask", ask(0, script().ReplyText("self"))); string(got.Reply) != "self" {
		t.Errorf("itself: %q, %v", got.Reply, got.Reject)
	}
	deep := script().ReplyText("bottom")
	for range replica.MaxCompositeDepth + 1 {
		deep = ask(1, deep)
	}
	if got := query(s, 0, "ask", deep); got.Reject == nil || got.Reject.Error.String() != "IC0525" {
		t.Errorf("too deep: %q, %v", got.Reply, got.Reject)
	}
	if got := query(s, 0, "ask", ask(9, script().ReplyText("x"))); got.Reject == nil || got.Reject.Error.String() != "IC0506" {
		t.Errorf("a query of a missing canister: %q, %v", got.Reply, got.Reject)
	}
	if got := query(s, 0, "ask", script().Count(1).Call(canistertest.Call{
		Callee: s.ID(1), Method: "ask", Program: script().ReplyText("x"), OnReply: script().Count(1).Get().ReplyInt(),
	})); string(got.Reply) != "\x02\x00\x00\x00\x00\x00\x00\x00" {
		t.Errorf("a callback sees %q, %v", got.Reply, got.Reject)
	}
	expect(t, "nothing is kept", s.Run(0, string(script().Get().ReplyInt().Bytes())), "replied: \x00")
}

func TestRandomProgramsOfWasmCanistersEndInTheSameState(t *testing.T) {
	run := func(programs [][]byte, pass func(*replica.Network)) [32]byte {
		s := wasmStage(t, replica.Config{SliceInstructions: 5_000_000}, 3)
		defer s.Close()
		for i, program := range programs {
			s.Submit(i%3, "run", string(program))
			if i%2 == 1 {
				pass(s.Network)
			}
		}
		for s.Activity().HasDueWork {
			pass(s.Network)
		}
		return stateHash(t, s.Network)
	}
	rapid.Check(t, func(rt *rapid.T) {
		var programs [][]byte
		for range rapid.IntRange(1, 8).Draw(rt, "programs") {
			programs = append(programs, randomScript(rt, 2).Bytes())
		}
		one := run(programs, round)
		if two := run(programs, round); two != one {
			rt.Fatal("two runs differ")
		}
		if steps := run(programs, steps(replica.FIFO{})); steps != one {
			rt.Fatal("rounds and steps differ")
		}
	})
}

// randomScript draws a program of the scriptable canister.
func randomScript(t *rapid.T, depth int) *canistertest.Program {
	p := script()
	for range rapid.IntRange(0, 4).Draw(t, "operations") {
		switch rapid.IntRange(0, 6).Draw(t, "operation") {
		case 0:
			p.Count(rapid.Uint64Range(1, 9).Draw(t, "count"))
		case 1:
			p.Certify(rapid.SliceOfN(rapid.Byte(), 0, 33).Draw(t, "certified"))
		case 2:
			p.Busy(rapid.Uint64Range(1, 12_000_000).Draw(t, "instructions"))
		case 3:
			p.Grow(1).Drop()
		case 4:
			p.Print("a line")
		case 5:
			p.StableGrow(1).Drop().StableWrite(rapid.Uint64Range(0, 99).Draw(t, "offset"), []byte("stable"))
		case 6:
			if depth > 0 {
				callee := principal.Canister(replicatest.First(0) + rapid.Uint64Range(0, 3).Draw(t, "callee"))
				p.Call(canistertest.Call{
					Callee: callee, Program: randomScript(t, depth-1), Cycles: rapid.Uint64Range(0, 9).Draw(t, "cycles"),
					OnReply: randomScript(t, 0), OnReject: randomScript(t, 0),
				}).Drop()
			}
		}
	}
	switch rapid.IntRange(0, 3).Draw(t, "end") {
	case 0:
		return p.Get().ReplyInt()
	case 1:
		return p.Reject("no")
	case 2:
		return p.Fault()
	}
	return p
}
