package canister_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestRandomMessagesHaveTheSameOutcomeIfTheyAreShort(t *testing.T) {
	p := canistertest.NewPlace(t)
	p.Subnet.Limits.Message = 5_000_000
	c, twin := prepared(t, p), prepared(t, p)
	twin.ID, twin.Balance = c.ID, c.Balance
	shorts, others := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		run := func(m *canister.Message) canister.Outcome {
			var out canister.Outcome
			if c.ExecuteShort(&p.Subnet, m, &out) {
				shorts++
			} else {
				others++
				out = c.Execute(&p.Subnet, m)
			}
			want := twin.Execute(&p.Subnet, m)
			if got, want := summary(&out), summary(&want); got != want {
				r.Fatalf("the outcome is\n%s, want\n%s", got, want)
			}
			if got, want := take(t, p, c), take(t, p, twin); got != want {
				r.Fatalf("the canister is\n%+v, want\n%+v", got, want)
			}
			return want
		}
		program := canistertest.RandomProgram(r, callee, principal.Canister(101))
		if rapid.Bool().Draw(r, "long") {
			program = program.Busy(2_000_000)
		}
		out := run(&canister.Message{Context: canister.Update, Method: "run", Payload: program.Bytes(), Caller: canistertest.User, Available: cycles.Of(1 << 40)})
		for i := range out.Calls {
			call := &out.Calls[i]
			run(&canister.Message{Context: canister.ReplyCallback, Closure: call.Reply, Cleanup: call.Cleanup, Caller: canistertest.User, Payload: []byte("reply")})
		}
		for _, x := range []*canister.Canister{c, twin} {
			x.Balance, x.Reserved = cycles.Of(canistertest.Balance), cycles.Amount{}
		}
	})
	if shorts == 0 || others == 0 {
		t.Errorf("%d messages were short, and %d were not", shorts, others)
	}
}

// summary is what an outcome says.
func summary(out *canister.Outcome) string {
	var reply []byte
	if out.Response != nil {
		reply = out.Response.Reply
	}
	return fmt.Sprintf("%s\n%s\n%q, %d calls, accepted %s, burned %s, %d instructions, %d pages, %d bytes, cleaned %t, %d records",
		out.Failure, out.Backtrace, reply, len(out.Calls), out.Accepted, out.Burned, out.Instructions, out.DirtyPages, out.HeapDelta, out.Cleaned, out.Logs)
}

func TestAMessageThatIsNotShortChangesNothingUntilItBeginsAgain(t *testing.T) {
	p := canistertest.NewPlace(t)
	var printed []string
	p.Subnet.Print = func(_ principal.Principal, text []byte) { printed = append(printed, string(text)) }
	c := prepared(t, p)
	call := makeCall(t, p, c, canistertest.Call{OnReply: change().Print("lost").Trap("oh"), OnCleanup: canistertest.Script().Print("kept")})
	for _, x := range []struct {
		name   string
		m      canister.Message
		prints []string
	}{
		{
			"a long message",
			canister.Message{Context: canister.Update, Method: "run", Payload: change().Print("long").Busy(2_000_000).ReplyText("done").Bytes()},
			[]string{"long"},
		},
		{
			"a callback with its cleanup",
			canister.Message{Context: canister.ReplyCallback, Closure: call.Reply, Cleanup: call.Cleanup},
			[]string{"lost", "kept"},
		},
	} {
		p.Run(c, canistertest.Script().Reply(nil))
		before, logs := take(t, p, c), c.Logs.Next()
		printed = nil
		if c.ExecuteShort(&p.Subnet, &x.m, new(canister.Outcome)) {
			t.Errorf("%s is short", x.name)
		}
		if after := take(t, p, c); after != before || c.Logs.Next() != logs || printed != nil {
			t.Errorf("%s printed %q and changed\n%+v to\n%+v", x.name, printed, before, after)
		}
		c.Execute(&p.Subnet, &x.m)
		if !slices.Equal(printed, x.prints) {
			t.Errorf("%s printed %q, want %q", x.name, printed, x.prints)
		}
	}
}

func TestAShortMessagePrintsEachTextOnce(t *testing.T) {
	p := canistertest.NewPlace(t)
	var printed []string
	p.Subnet.Print = func(_ principal.Principal, text []byte) { printed = append(printed, string(text)) }
	c := prepared(t, p)
	m := &canister.Message{Context: canister.Update, Method: "run", Payload: canistertest.Script().Print("one").Print("two").Trap("oh").Bytes()}
	var out canister.Outcome
	if !c.ExecuteShort(&p.Subnet, m, &out) || out.Failure == nil || !slices.Equal(printed, []string{"one", "two"}) {
		t.Errorf("it printed %q: %v", printed, out.Failure)
	}
}

// scattering writes to 1,024 pages, in some 200,000 instructions.
const scattering = `(module
	(memory 64)
	(func (export "canister_update scatter") (local $i i32)
		(loop $next
			(i32.store8 (i32.mul (i32.and (local.get $i) (i32.const 1023)) (i32.const 4096)) (i32.const 1))
			(local.set $i (i32.add (local.get $i) (i32.const 1)))
			(br_if $next (i32.lt_u (local.get $i) (i32.const 16000)))))
	(func (export "canister_update nothing")))`

func TestAMessageIsShortIfItIsNotPausedAndTheOneBeforeWasShort(t *testing.T) {
	p := canistertest.NewPlace(t)
	module := p.Wat(scattering)
	for after, want := range map[uint64]bool{
		canister.ScatteredPauseAfter: false, canister.DefaultPauseAfter: false, canister.DefaultPauseAfter + 1: true,
	} {
		p.Subnet.Limits.PauseAfter = after
		c := p.Canister(module, nil)
		short := func(method string) bool {
			return c.ExecuteShort(&p.Subnet, &canister.Message{Context: canister.Update, Method: method}, new(canister.Outcome))
		}
		if got := short("scatter"); got != want {
			t.Errorf("with a pause after %d instructions, that it is short is %t", after, got)
		}
		if got := short("nothing"); got != want {
			t.Errorf("with a pause after %d instructions, that the next one is short is %t", after, got)
		}
		p.Update(c, "nothing", nil)
		if !short("nothing") {
			t.Error("a message is not short after a short one")
		}
	}
}
