package faults

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// injector is one over a subnet with a canister, and rules.
func injector(rules ...state.Rule) (*Injector, principal.Principal) {
	i := &Injector{Rules: new(state.Rules), State: new(state.State), Clock: new(uint64), MaxBytes: 100}
	id := principal.Canister(1)
	i.State.Add(canister.New(id, 0, canister.DefaultSettings()))
	for _, r := range rules {
		Add(i.Rules, r)
	}
	return i, id
}

func holds(m state.Match) state.Rule {
	return state.Rule{Match: m, Action: state.Action{Kind: state.ActHold}}
}

// request is one of a canister with guaranteed response.
func request(from principal.Principal, call intercanister.CallID, method string) *intercanister.Request {
	return &intercanister.Request{Sender: from, Receiver: principal.Canister(2), Call: call, Method: method, Cycles: cycles.Of(7)}
}

func TestRequestsWaitBehindAHeldOneAndFollowIt(t *testing.T) {
	i, id := injector(holds(state.Match{Method: "first"}))
	if i.Idle() {
		t.Error("there is a rule, and nothing to decide")
	}
	first, second := i.Send(request(id, 1, "first")), i.Send(request(id, 2, "second"))
	if first.Kind != Hold || first.Rule == nil || second.Kind != Hold || second.Rule != nil || second.Message.Behind != first.Message.ID {
		t.Fatalf("%+v, %+v", first, second)
	}
	if d := i.Send(request(principal.Canister(3), 3, "second")); d.Kind != Pass || d.Message != nil {
		t.Errorf("a request of another canister: %+v", d)
	}
	if released, refused := i.Release(second.Message); refused == nil || released != nil {
		t.Errorf("the second goes before the first: %+v", released)
	}
	released, refused := i.Release(first.Message)
	if refused != nil {
		t.Fatal(refused)
	}
	var went []intercanister.CallID
	for _, d := range released {
		if d.Kind != Release {
			t.Errorf("%+v", d)
		}
		went = append(went, d.Message.Request.Call)
	}
	entry := i.State.Canisters.Get(id)
	if len(went) != 2 || went[0] != 1 || went[1] != 2 || i.State.Held.Len() != 0 || i.Rules.Held != 0 || entry.Outgoing != 0 || entry.Messages.Guaranteed != 0 {
		t.Errorf("%v went; %d are held; the sender has %d to send and %+v", went, i.Rules.Held, entry.Outgoing, entry.Messages)
	}
}

func TestADecisionSaysWhatGoesBack(t *testing.T) {
	reply := state.Rule{Action: state.Action{Kind: state.ActReply, Reply: []byte("r")}}
	i, id := injector(reply)
	d := i.Send(request(id, 1, "m"))
	if d.Kind != Answer || d.Action != state.ActReply || string(d.Response.Reply) != "r" || d.Response.Refund != cycles.Of(7) || i.State.Held.Len() != 0 {
		t.Errorf("%+v", d)
	}
	lost := state.Rule{Match: state.Match{Kind: state.KindIngress}, Action: state.Action{Kind: state.ActDrop}}
	i, _ = injector(lost)
	if d := i.Receive(&state.Ingress{Number: 1}, false); d.Kind != Lose || d.Cause != Fault || !d.Message.Cycles().IsZero() {
		t.Errorf("%+v", d)
	}
}

func TestMessagesThatFindNoRoomPass(t *testing.T) {
	i, id := injector(holds(state.Match{}))
	large := request(id, 1, "m")
	large.Payload = make([]byte, 101)
	d := i.Send(large)
	if rule := i.Rules.List[0]; d.Kind != Pass || d.Message == nil || rule.Matched != 0 || rule.Passed != 1 {
		t.Errorf("%+v after %+v", rule, d)
	}
}

func TestResponsesToCallsThatAreOverPass(t *testing.T) {
	i, id := injector(holds(state.Match{Kind: state.KindResponse}))
	if d := i.Settle(id, 1, intercanister.Response{}); d.Kind != Pass || i.Rules.List[0].Seen != 0 {
		t.Errorf("%+v", d)
	}
}
