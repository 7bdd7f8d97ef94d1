package canister_test

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestOutcomesShareNoMemoryUntilTheyAreRecycled(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Wat(tiny), nil)
	message := func(method string) canister.Outcome {
		t.Helper()
		out := c.Execute(&p.Subnet, &canister.Message{
			Context: canister.Update, Method: method, Caller: canistertest.User, Payload: principal.Canister(7).Bytes(),
		})
		if out.Failure != nil {
			t.Fatal(out.Failure)
		}
		return out
	}
	first, second := message("ask"), message("ask")
	if &first.Calls[0] == &second.Calls[0] {
		t.Error("a message uses the memory of calls that are in use")
	}
	c.Recycle(&first)
	third := message("ask")
	if &third.Calls[0] != &first.Calls[0] {
		t.Error("a message does not use the memory of calls that were recycled")
	}
	if got := second.Calls[0].Request; got.Method != "inc" || got.Receiver != principal.Canister(7) {
		t.Errorf("the call of an earlier message has become %+v", got)
	}

	answer, next := message("inc"), message("inc")
	if answer.Response == next.Response {
		t.Error("a message uses the memory of an answer that is in use")
	}
	c.Recycle(&answer)
	if last := message("inc"); last.Response != answer.Response || string(next.Response.Reply) == string(last.Response.Reply) {
		t.Errorf("answered with %v after %v", last.Response, next.Response)
	}
}
