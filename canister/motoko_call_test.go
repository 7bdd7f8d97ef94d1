package canister_test

import (
	"encoding/binary"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/test/canistertest"
)

// text is the Candid encoding of one short text.
func text(s string) []byte {
	return append(append([]byte("DIDL\x00\x01\x71"), byte(len(s))), s...)
}

// pair is the Candid encoding of two small nats.
func pair(a, b byte) string { return "DIDL\x00\x02\x7d\x7d" + string([]byte{a, b}) }

// settle runs the only call of an outcome on the callee and its callback on the caller.
func settle(t *testing.T, p *canistertest.Place, caller, callee *canister.Canister, out canister.Outcome) canister.Outcome {
	t.Helper()
	if out.Failure != nil || len(out.Calls) != 1 || out.Calls[0].Receiver != callee.ID {
		t.Fatalf("no call was made: %+v", out)
	}
	call := &out.Calls[0]
	inner := callee.Execute(&p.Subnet, &canister.Message{Context: canister.Update, Method: call.Method, Payload: call.Payload, Caller: caller.ID, Available: call.Request.Cycles})
	back := canister.Message{Context: canister.ReplyCallback, Closure: call.Reply, Cleanup: call.Cleanup, Caller: canistertest.User}
	if inner.Failure != nil {
		back.Context, back.Closure, back.Reject = canister.RejectCallback, call.Reject, inner.Failure
	} else {
		back.Payload = inner.Response.Reply
	}
	return caller.Execute(&p.Subnet, &back)
}

func TestAMotokoActorAwaitsAnotherAndATrapAfterwardsKeepsWhatCameBefore(t *testing.T) {
	t.Parallel()
	p := canistertest.NewPlace(t)
	counter := p.Canister(p.Module(fixture(t, "counter.wasm")), noArgument)
	caller := p.Canister(p.Module(fixture(t, "caller.wasm")), noArgument)
	seen := func(want string) {
		t.Helper()
		if got := string(reply(t, p.Query(caller, "seen", noArgument))); got != want {
			t.Errorf("the actor has seen %q, want %q", got, want)
		}
	}
	out := settle(t, p, caller, counter, p.Update(caller, "bump", text(counter.ID.String())))
	if got := string(reply(t, out)); got != string(nat(1)) {
		t.Errorf("the answer is %q", got)
	}
	seen(pair(1, 1))
	out = settle(t, p, caller, counter, p.Update(caller, "trapAfterAwait", text(counter.ID.String())))
	failed(t, caller, out, intercanister.CanisterCalledTrap, "Canister called `ic0.trap` with message: 'after the await'")
	if !out.Cleaned {
		t.Error("the actor's cleanup did not run")
	}
	seen(pair(11, 1))
	failed(t, caller, p.Update(caller, "trapAtOnce", noArgument), intercanister.CanisterCalledTrap, "Canister called `ic0.trap` with message: 'at once'")
	seen(pair(11, 1))
	out = settle(t, p, caller, caller, p.Update(caller, "catchReject", text(caller.ID.String())))
	want := "IC0503: Error from Canister " + caller.ID.String() + ": Canister called `ic0.trap` with message: 'at once'"
	if got := string(reply(t, out)); len(got) < 9+len(want) || got[9:9+len(want)] != want {
		t.Errorf("the actor caught %q", got)
	}
}

func TestAMotokoTimerSetsTheGlobalTimerAgainAndAgain(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Module(fixture(t, "clock.wasm")), noArgument)
	every := binary.LittleEndian.AppendUint64([]byte("DIDL\x00\x01\x78"), 1_000_000_000)
	reply(t, p.Update(c, "start", every))
	for i := range byte(3) {
		if c.Timer != p.Subnet.Time+1_000_000_000 {
			t.Fatalf("the timer is set to %d at %d", c.Timer, p.Subnet.Time)
		}
		p.Subnet.Time = c.Timer
		pending := []canister.Outcome{c.Execute(&p.Subnet, &canister.Message{Context: canister.GlobalTimer, Responded: true})}
		for len(pending) > 0 {
			out := pending[0]
			pending = pending[1:]
			if out.Failure != nil {
				t.Fatal(out.Failure)
			}
			for _, call := range out.Calls {
				if call.Receiver != c.ID {
					t.Fatalf("the timer calls %s", call.Receiver)
				}
				inner := c.Execute(&p.Subnet, &canister.Message{Context: canister.Update, Method: call.Method, Payload: call.Payload, Caller: c.ID})
				pending = append(pending, inner, c.Execute(&p.Subnet, &canister.Message{Context: canister.ReplyCallback, Closure: call.Reply, Cleanup: call.Cleanup, Payload: reply(t, inner), Responded: true}))
			}
		}
		if got := string(reply(t, p.Query(c, "count", noArgument))); got != string(nat(i+1)) {
			t.Errorf("the clock has ticked %q, want %d", got, i+1)
		}
	}
}
