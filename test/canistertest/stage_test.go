package canistertest_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/canistertest"
)

// stage carries calls between canisters, one after the other, depth first.
type stage struct {
	p    *canistertest.Place
	all  map[principal.Principal]*canister.Canister
	room int
	runs int
	odd  []*intercanister.Reject // failures that no program may cause
}

func newStage(p *canistertest.Place, all ...*canister.Canister) *stage {
	s := &stage{p: p, all: make(map[principal.Principal]*canister.Canister), room: 1000}
	for _, c := range all {
		s.all[c.ID] = c
	}
	return s
}

// open is a call context.
type open struct {
	c         *canister.Canister
	caller    principal.Principal
	deadline  uint64
	available cycles.Amount
	answer    *intercanister.Response
	failure   *intercanister.Reject
}

// expected are the codes programs can fail with.
var expected = map[intercanister.ErrorCode]bool{
	intercanister.CanisterTrapped: true, intercanister.CanisterCalledTrap: true, intercanister.CanisterContractViolation: true,
	intercanister.CanisterMethodNotFound: true, intercanister.CanisterInstructionLimitExceeded: true,
	intercanister.CanisterWasmMemoryLimitExceeded: true, intercanister.InsufficientCyclesInMemoryGrow: true,
	intercanister.CanisterMemoryAccessLimitExceeded: true,
}

func (s *stage) run(o *open, m *canister.Message) {
	s.runs++
	m.Caller, m.Deadline, m.Available, m.Responded = o.caller, o.deadline, o.available, o.answer != nil
	m.Room, m.Callbacks, m.MessageRoom = func(principal.Principal) int { return s.room }, 1<<20, 1<<40
	s.settle(o, o.c.Execute(&s.p.Subnet, m))
}

func (s *stage) settle(o *open, out canister.Outcome) {
	if out.Failure != nil {
		o.failure = out.Failure
		if !expected[out.Failure.Error] {
			s.odd = append(s.odd, out.Failure)
		}
		return
	}
	o.available = o.available.Sub(out.Accepted)
	if out.Response != nil {
		o.answer = out.Response
		o.answer.Refund, o.available = o.available, cycles.Amount{}
	}
	for i := range out.Calls {
		s.call(o, &out.Calls[i])
	}
}

func (s *stage) call(o *open, call *canister.Call) {
	callee := &open{c: s.all[call.Receiver], caller: o.c.ID, deadline: call.Deadline, available: call.Cycles}
	context := canister.Update
	if callee.c.Module().Method(call.Method) == canister.QueryMethod {
		context = canister.ReplicatedQuery
	}
	s.run(callee, &canister.Message{Context: context, Method: call.Method, Payload: call.Payload})
	response := callee.response()
	o.c.Balance = o.c.Balance.Add(call.Execution).Add(call.Transmission).Add(response.Refund)
	m := &canister.Message{Context: canister.ReplyCallback, Closure: call.Reply, Cleanup: call.Cleanup, Payload: response.Reply, Refunded: response.Refund}
	if response.Reject != nil {
		m.Context, m.Closure, m.Reject = canister.RejectCallback, call.Reject, response.Reject
	}
	s.run(o, m)
}

func (o *open) response() *intercanister.Response {
	switch {
	case o.answer != nil:
		return o.answer
	case o.failure != nil:
		return &intercanister.Response{Reject: o.failure, Refund: o.available}
	}
	return &intercanister.Response{Refund: o.available, Reject: intercanister.Rejectf(intercanister.CanisterDidNotReply, "did not reply")}
}

// update runs a program as a user's message and says how it was answered.
func (s *stage) update(c *canister.Canister, program *canistertest.Program) string {
	o := &open{c: c, caller: canistertest.User}
	s.run(o, &canister.Message{Context: canister.Update, Method: "run", Payload: program.Bytes()})
	if o.answer == nil {
		return said(canister.Outcome{Failure: o.response().Reject})
	}
	return said(canister.Outcome{Response: o.answer})
}

// small keeps what random programs may do short.
func small(p *canistertest.Place, all ...*canister.Canister) {
	p.Subnet.Limits.Message, p.Subnet.Limits.Query = 5_000_000, 5_000_000
	for _, c := range all {
		c.Settings.WasmMemoryLimit = 8 << 20
	}
}

func TestRandomProgramsOverCanistersNeverBreakThem(t *testing.T) {
	p := canistertest.NewPlace(t)
	narrow, wide := p.Module(canistertest.Variant{}.Module()), p.Module(canistertest.Variant{Memory64: true}.Module())
	rapid.Check(t, func(t *rapid.T) {
		a, b := p.Canister(narrow, nil), p.Canister(wide, nil)
		defer a.Close()
		defer b.Close()
		small(p, a, b)
		s := newStage(p, a, b)
		for range 3 {
			program := canistertest.RandomProgram(t, a.ID, b.ID)
			again(t, program)
			s.update(a, program)
		}
		if s.runs > 3*40 {
			t.Errorf("three programs made %d messages", s.runs)
		}
		for _, c := range []*canister.Canister{a, b} {
			if got := s.update(c, canistertest.Script().ReplyText("whole")); got != "whole" {
				t.Errorf("the canister says %s", got)
			}
		}
		for _, failure := range s.odd {
			t.Errorf("a program failed with %s", failure)
		}
	})
}

func TestQueriesDrawnAtRandomMostlyAnswer(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	answered, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		out := p.Query(c, "query", canistertest.Queries().Draw(t, "program").Bytes())
		all++
		if out.Response != nil {
			answered++
		}
		if out.Failure != nil && !expected[out.Failure.Error] {
			t.Errorf("a query failed with %s", out.Failure)
		}
	})
	if answered*2 < all {
		t.Errorf("%d of %d queries were answered", answered, all)
	}
}

func TestRandomOperationsNeverBreakTheCanister(t *testing.T) {
	p := canistertest.NewPlace(t)
	for _, variant := range []canistertest.Variant{{}, {Memory64: true}} {
		module := p.Module(variant.Module())
		rapid.Check(t, func(t *rapid.T) {
			c := p.Canister(module, nil)
			defer c.Close()
			small(p, c)
			program := canistertest.RandomOperations(t)
			again(t, program)
			out := p.Run(c, program)
			if out.Failure != nil && !expected[out.Failure.Error] {
				t.Errorf("%s failed with %s", program, out.Failure)
			}
			if got := said(p.Run(c, canistertest.Script().ReplyText("whole"))); got != "whole" {
				t.Errorf("after %s the canister says %s", program, got)
			}
		})
	}
}

func TestRandomCompositeQueriesEnd(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Module(canistertest.Variant{Memory64: true}.Module()), nil)
	small(p, c)
	rapid.Check(t, func(t *rapid.T) {
		program := canistertest.Compositions(c.ID).Draw(t, "program")
		again(t, program)
		q, reject := c.PrepareQuery()
		if reject != nil {
			t.Fatal(reject)
		}
		defer q.Release()
		waiting := []canister.Message{{Context: canister.CompositeQuery, Method: "ask", Payload: program.Bytes()}}
		answered := false
		for runs := 0; len(waiting) > 0; runs++ {
			if runs > 40 {
				t.Fatal("a composite query does not end")
			}
			m := waiting[0]
			m.Responded = answered
			waiting = waiting[1:]
			out := q.Run(&p.Subnet, &m)
			answered = answered || out.Response != nil
			if out.Failure != nil && !expected[out.Failure.Error] {
				t.Errorf("a composite query failed with %s", out.Failure)
			}
			for _, call := range out.Calls {
				waiting = append(waiting, canister.Message{Context: canister.CompositeReply, Closure: call.Reply, Payload: []byte("answer")})
			}
		}
	})
}
