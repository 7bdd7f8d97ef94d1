package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// composed is a composite query of canister n.
func composed(s *replicatest.Stage, n int, program *canistertest.Program) *replica.Query {
	return &replica.Query{Sender: s.Sender, Receiver: s.ID(n), Effective: s.ID(n), Method: "ask", Arg: program.Bytes()}
}

func wantReject(t *testing.T, got replica.QueryResult, code intercanister.ErrorCode, text string) {
	t.Helper()
	if got.Reject == nil || got.Reject.Error != code || got.Reject.Text != text {
		t.Errorf("got %q, %v; want %s: %s", got.Reply, got.Reject, code, text)
	}
}

func TestACompositeQueryMakesNoMoreCallsWhenItIsLate(t *testing.T) {
	s := wasmStage(t, replica.Config{}, 2)
	call := canistertest.Call{Callee: s.ID(1), Method: "query", Program: script().ReplyText("x"), OnReject: script().ReplyText("rejected")}
	asked := 0
	q := composed(s, 0, script().Call(call).Call(call).Call(call))
	q.Late = func() bool { asked++; return asked > 3 }
	const text = "Composite query call exceeded the time limit."
	result := s.PrepareQuery(q).Run()
	wantReject(t, result, intercanister.QueryTimeLimitExceeded, text)
	if result.Count.Calls+uint64(len(result.Nested)) != 3 || asked != 4 {
		t.Errorf("%d queries were run, and %d times it was asked for the time", 1+len(result.Nested), asked)
	}
	answers := composed(s, 0, script().ReplyText("an answer"))
	answers.Late = func() bool { return true }
	if got := s.PrepareQuery(answers).Run(); string(got.Reply) != "an answer" {
		t.Errorf("late with an answer: %q, %v", got.Reply, got.Reject)
	}
}

func TestAQueryThatTransformsIsNotComposite(t *testing.T) {
	s := wasmStage(t, replica.Config{}, 1)
	q := composed(s, 0, script().ReplyText("x"))
	q.Transform = true
	wantReject(t, s.PrepareQuery(q).Run(), intercanister.CompositeQueryCalledInReplicatedMode,
		"Composite query cannot be used as transform in canister http outcalls.")
	q.Method = "query"
	if got := s.PrepareQuery(q).Run(); string(got.Reply) != "x" || got.Count.Calls != 0 {
		t.Errorf("got %q, %v, counted %d", got.Reply, got.Reject, got.Count.Calls)
	}
}

// The owner of the network may go on while a composite query runs. Here it does so before each of the first calls: both
// registers are counted up, and no query may see one of them before and the other after.
func TestAllQueriesOfACompositeQuerySeeTheSameMoment(t *testing.T) {
	for _, moves := range []int{0, 1, 2, 3, 5, 100} {
		s := wasmStage(t, replica.Config{}, 3)
		register := func(n int) canistertest.Call {
			return canistertest.Call{Callee: s.ID(n), Method: "query", Program: script().Get().ReplyInt()}
		}
		second := register(2)
		second.OnReply = script().Arg().Append().Get().ReplyInt()
		first := register(1)
		first.OnReply = script().Arg().ToInt().Set().Call(second)
		p := s.PrepareQuery(composed(s, 0, script().Call(first)))
		moved := 0
		p.Through(func(do func()) error {
			if moved < moves {
				moved++
				for n := range 3 {
					expect(t, "count", s.Run(n, string(script().Get().Int(1).Add().Set().ReplyText("counted").Bytes())), "replied: counted")
				}
			}
			do()
			return nil
		})
		got := p.Run()
		if got.Reject != nil || len(got.Reply) != 16 || string(got.Reply[:8]) != string(got.Reply[8:]) {
			t.Errorf("%d moves: got %x, %v", moves, got.Reply, got.Reject)
		}
		if got.Count.Calls != 1 || len(got.Nested) != 2 {
			t.Errorf("%d moves: counted %d and %d queries", moves, got.Count.Calls, len(got.Nested))
		}
	}
}

// Where the network goes on before each time that its owner is asked, each attempt comes one call
// farther.
func TestACompositeQueryBeginsFourTimesBeforeTheNetworkWaits(t *testing.T) {
	s := wasmStage(t, replica.Config{}, 2)
	program := script().ReplyText("over")
	for range 20 {
		program = script().Call(canistertest.Call{Callee: s.ID(1), Method: "query", Program: script().ReplyText("x"), OnReply: program})
	}
	p := s.PrepareQuery(composed(s, 0, program))
	asked := 0
	p.Through(func(do func()) error {
		asked++
		s.Round()
		do()
		return nil
	})
	// For its first call, then three times for what it had and for the next call, then for all.
	if got := p.Run(); string(got.Reply) != "over" || asked != 1+3*2+1 {
		t.Errorf("%q, %v; the owner was asked %d times, want 8", got.Reply, got.Reject, asked)
	}
}

func TestATestControlRestartsACompositeQuery(t *testing.T) {
	s := wasmStage(t, replica.Config{}, 2)
	balance := canistertest.Call{Callee: s.ID(1), Method: "query", Program: script().Balance().ReplyTop(), OnReply: script().Arg().ReplyTop()}
	p := s.PrepareQuery(composed(s, 0, script().Call(balance)))
	asked := 0
	p.Through(func(do func()) error {
		if asked++; asked == 1 {
			s.Apply(replica.AddCycles{Canister: s.ID(1), Amount: cycles.Of(1)})
		}
		do()
		return nil
	})
	if got := p.Run(); got.Reject != nil || asked != 2 {
		t.Errorf("%v; the owner was asked %d times", got.Reject, asked)
	}
}

func TestQueryStatisticsOfDeletedCanistersAreDropped(t *testing.T) {
	s := wasmStage(t, replica.Config{}, 1)
	gone := replica.QueryCount{Canister: s.ID(5)}
	gone.Calls = 1
	if r := s.Apply(replica.QueryCounts{gone}); r.Refusal != nil || r.Reject != nil {
		t.Errorf("got %+v", r)
	}
}
