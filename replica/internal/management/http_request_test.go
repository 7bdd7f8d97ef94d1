package management

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

const outcallPrice = 20_849_140_000 // 13 nodes, no bytes

func getNothing() httpRequestArg { return httpRequestArg{Method: httpMethod{Get: null}} }

func TestASubnetHasThreeThousandOutcallsInFlightAndNoMore(t *testing.T) {
	r := newRig(t)
	r.st.Outcalls = make(map[uint64]*state.PendingOutcall)
	for i := range uint64(2_999) {
		r.st.Outcalls[i] = nil
	}
	c := r.byCanister(r.target, outcallPrice+5, "http_request", getNothing())
	if a := r.run(c); a.When != state.Deferred || len(r.sent) != 1 || r.tickets[0].Refund != cycles.Of(5) {
		t.Errorf("outcall 3,000 gives %+v, %d are sent", a, len(r.sent))
	}
	if paid := r.target.Canister.Consumed.Outcalls; paid != cycles.Of(outcallPrice) {
		t.Errorf("the canister has paid %s", paid)
	}
	r.st.Outcalls[3_000] = nil
	r.rejected(r.byCanister(r.target, outcallPrice, "http_request", getNothing()), intercanister.CanisterRejectedMessage,
		"max number (3000) of http requests in-flight reached.")
}

func TestTheURLAndTheResponseOfAnOutcallHaveLimits(t *testing.T) {
	r := newRig(t)
	with := func(url int, response uint64) *state.ManagementCall {
		a := getNothing()
		a.URL, a.MaxResponse = strings.Repeat("u", url), &response
		return r.byCanister(r.target, 10*outcallPrice, "http_request", a)
	}
	if a := r.run(with(8_192, 2_000_000)); a.When != state.Deferred {
		t.Errorf("the largest: %+v", a)
	}
	r.rejected(with(8_193, 2_000_000), intercanister.CanisterRejectedMessage, "url size 8193 exceeds 8192")
	r.rejected(with(8_192, 2_000_001), intercanister.CanisterRejectedMessage, "max_response_bytes expected to be in the range [0..2000000], got 2000001")
}

func TestOutcallsOfSystemSubnetsAndWithoutFeesAreFree(t *testing.T) {
	for name, fees := range map[string]cycles.Schedule{"system": cycles.System(40), "free": {Nodes: 13, Reference: 13}} {
		r := newRig(t)
		r.sub.Fees = fees
		if a := r.run(r.byCanister(r.target, 0, "http_request", getNothing())); a.When != state.Deferred {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestOnlyCanistersOfTheSubnetAndOfTheRootMakeOutcalls(t *testing.T) {
	r := newRig(t)
	other, rooted := r.add(3, alice), r.add(4, alice)
	r.hosted[other.ID()], r.hosted[rooted.ID()] = far, root
	c := r.byCanister(other, outcallPrice, "http_request", getNothing())
	c.Sender = nil
	r.rejected(c, intercanister.CanisterContractViolation,
		"Incorrect sender subnet id: "+far.String()+". Sender should be on the same subnet or on the NNS subnet.")
	c = r.byCanister(rooted, outcallPrice, "http_request", getNothing())
	c.Sender = nil
	if a := r.run(c); a.When != state.Deferred {
		t.Errorf("a canister of the root subnet: %+v", a)
	}
}
