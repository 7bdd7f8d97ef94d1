package canister_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/canistertest"
)

// spent is what a message that succeeded must have taken from the balance.
func spent(p *canistertest.Place, out *canister.Outcome) cycles.Amount {
	total := out.Burned
	for i := range out.Calls {
		c := &out.Calls[i]
		total = total.Add(c.Request.Cycles).Add(c.Execution).Add(c.Transmission).Add(p.Subnet.Fees.CallTransmission(uint64(len(c.Method) + len(c.Payload))))
	}
	return total
}

func TestRandomMessagesAreTransactionsThatConserveCycles(t *testing.T) {
	p := canistertest.NewPlace(t)
	p.Subnet.Limits.Message, p.Subnet.Limits.Query = 5_000_000, 5_000_000
	peers := []principal.Principal{principal.Canister(100), principal.Canister(101)}
	c, twin := prepared(t, p), prepared(t, p)
	twin.ID, twin.Balance = c.ID, c.Balance
	rapid.Check(t, func(r *rapid.T) {
		program := canistertest.RandomProgram(r, peers...)
		if rapid.Bool().Draw(r, "wild") {
			program = canistertest.RandomOperations(r)
		}
		m := canister.Message{Context: canister.Update, Method: "run", Payload: program.Bytes(), Caller: canistertest.User, Available: cycles.Of(1 << 40)}
		before, reserved := take(t, p, c), c.Reserved
		out := c.Execute(&p.Subnet, &m)
		after := take(t, p, c)
		if out.Failure != nil {
			if after != before {
				r.Fatalf("a message that failed with %s changed\n%+v to\n%+v", out.Failure, before, after)
			}
		} else {
			if want := before.balance.Add(out.Accepted).Sub(spent(p, &out)).Sub(c.Reserved.Sub(reserved)); after.balance != want {
				r.Fatalf("the balance went from %s to %s, it should be %s", before.balance, after.balance, want)
			}
			if after.version != before.version+1 {
				r.Fatalf("the version went from %d to %d", before.version, after.version)
			}
		}
		again := twin.Execute(&p.Subnet, &m)
		if again.Instructions != out.Instructions || len(again.Calls) != len(out.Calls) || (again.Failure == nil) != (out.Failure == nil) ||
			again.Failure != nil && *again.Failure != *out.Failure || take(t, p, twin) != after {
			r.Fatalf("run twice, the message does not do the same:\n%+v\n%+v", out, again)
		}
		if query := p.Query(c, "query", program.Bytes()); query.Failure == nil && len(query.Calls) != 0 {
			r.Fatal("a query made calls")
		}
		if got := take(t, p, c); got != after {
			r.Fatalf("a query changed\n%+v to\n%+v", after, got)
		}
		// A canister that spends everything starts again, so that the rest of the messages can do something.
		for _, x := range []*canister.Canister{c, twin} {
			x.Balance, x.Reserved = cycles.Of(canistertest.Balance), cycles.Amount{}
		}
	})
}

func TestRandomCallbacksKeepTheirPromises(t *testing.T) {
	p := canistertest.NewPlace(t)
	p.Subnet.Limits.Message = 5_000_000
	c := prepared(t, p)
	rapid.Check(t, func(r *rapid.T) {
		out := p.Run(c, canistertest.RandomProgram(r, callee))
		for i := range out.Calls {
			call := &out.Calls[i]
			m := canister.Message{
				Context: canister.ReplyCallback, Closure: call.Reply, Cleanup: call.Cleanup, Caller: canistertest.User,
				Payload: []byte("reply"), Responded: rapid.Bool().Draw(r, "responded"), Refunded: call.Request.Cycles,
			}
			if rapid.Bool().Draw(r, "rejected") {
				m.Context, m.Closure, m.Payload = canister.RejectCallback, call.Reject, nil
				m.Reject = intercanister.Rejectf(intercanister.CanisterRejectedMessage, "no")
			}
			before := take(t, p, c)
			back := c.Execute(&p.Subnet, &m)
			after := take(t, p, c)
			switch {
			case back.Failure != nil && !back.Cleaned && after != before:
				r.Fatalf("a callback that failed with %s changed\n%+v to\n%+v", back.Failure, before, after)
			case back.Cleaned && (call.Cleanup == nil || back.Failure == nil):
				r.Fatal("a cleanup ran that was not asked for")
			case back.Failure != nil && call.Cleanup != nil && !back.Cleaned && !strings.Contains(back.Failure.Text, "call_on_cleanup also failed"):
				r.Fatalf("the cleanup closure was forgotten: %s", back.Failure)
			case back.Instructions > p.Subnet.Limits.Message:
				r.Fatalf("%d instructions", back.Instructions)
			case back.Response != nil && m.Responded:
				r.Fatal("the context was answered twice")
			}
		}
		c.Balance, c.Reserved = cycles.Of(canistertest.Balance), cycles.Amount{}
	})
}

func FuzzAnyBytesAreAProgram(f *testing.F) {
	p := canistertest.NewPlace(f)
	p.Subnet.Limits.Message, p.Subnet.Limits.Query, p.Subnet.Limits.SubnetMemory = 2_000_000, 2_000_000, 1<<30
	c := p.Canister(p.Module(canistertest.Scriptable()), nil)
	f.Add(canistertest.Script().ReplyText("x").Bytes())
	f.Add(change().Trap("x").Bytes())
	f.Add(canistertest.Script().Call(canistertest.Call{Callee: callee, Cycles: 5, OnCleanup: canistertest.Script()}).ReplyInt().Bytes())
	f.Fuzz(func(t *testing.T, program []byte) {
		before := c.Balance
		out := p.Update(c, "run", program)
		if out.Failure != nil && c.Balance != before {
			t.Errorf("a failed message changed the balance")
		}
		if out.Instructions > p.Subnet.Limits.Message {
			t.Errorf("%d instructions", out.Instructions)
		}
		p.Query(c, "query", program)
		c.Balance = cycles.Of(canistertest.Balance)
	})
}
