package replica_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
)

const second = 1_000_000_000

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if !strings.HasPrefix(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func submit(t *testing.T, s *replicatest.Stage, n int, method, arg string) replica.RequestID {
	t.Helper()
	id, refused := s.Submit(n, method, arg)
	if refused != "" {
		t.Fatalf("%s %d: %s", method, n, refused)
	}
	return id
}

func TestStoppingWaitsForOpenCallsAndStoppedCanistersRefuse(t *testing.T) {
	s := stage(t, 3)
	call := submit(t, s, 0, "run", "call 1 (forever) else (reply came-back)")
	s.Round()
	stop := submit(t, s, 0, "stop", "0")
	s.Round()
	expect(t, "the stop", s.Answer(stop), "processing")
	expect(t, "an update meanwhile", s.Run(0, "reply x"), "not accepted: CANISTER_ERROR (IC0509): Canister lxzze-o7777-77777-aaaaa-cai is stopping")
	expect(t, "a call meanwhile", s.Run(2, "call 0 (reply x) else (reply refused)"), "replied: refused")
	s.Apply(replica.AdvanceTo(s.View().Time + 301*second))
	s.Round()
	expect(t, "the stop after five minutes", s.Answer(stop), "rejected 2 IC0206: Stop canister request timed out")
	start := submit(t, s, 0, "stop", "0")
	s.Round()
	expect(t, "starting", s.Call(0, "start", "0"), "replied: done")
	expect(t, "the second stop", s.Answer(start), "rejected 5 IC0511")
	expect(t, "the call", s.Answer(call), "processing")
}

func TestACanisterWithNothingOpenStopsAtOnce(t *testing.T) {
	s := stage(t, 1)
	expect(t, "stop", s.Call(0, "stop", "0"), "replied: DIDL\x00\x00")
	expect(t, "stop again", s.Call(0, "stop", "0"), "replied: DIDL\x00\x00")
	expect(t, "update", s.Run(0, "reply x"), "not accepted: CANISTER_ERROR (IC0508)")
	expect(t, "delete", s.Call(0, "delete", "0"), "replied: done")
	expect(t, "update", s.Run(0, "reply x"), "not accepted: DESTINATION_INVALID (IC0301)")
	expect(t, "the id is not given again", s.Call(1, "create", "1"), "replied: "+string(s.ID(1).Bytes()))
}

func TestUninstallingRejectsOpenCallsAndLaterAnswersOnlyRefund(t *testing.T) {
	s := replicatest.NewStage(t, replica.Config{SliceInstructions: 1_000_000})
	s.Create(3, plenty)
	user := submit(t, s, 1, "run", "call 2 (spend 5000000 reply slow) then (echo)")
	caller := submit(t, s, 0, "run", "call 1 cycles 1000 (call 2 cycles 500 (spend 5000000 reply slow) then (echo)) then (echo) else (reply rejected)")
	s.Round()
	expect(t, "before", s.Answer(user), "processing")
	expect(t, "uninstall", s.Call(1, "uninstall", "1"), "replied: done")
	expect(t, "the user's call", s.Answer(user), "rejected 4 IC0406: Canister has been uninstalled.")
	expect(t, "the caller", s.Answer(caller), "replied: rejected")
	for s.Activity().HasDueWork {
		s.Round()
	}
	if c := s.Canister(s.ID(1)); c.Certified != nil || c.Installed != 0 {
		t.Error("something of the code is left")
	}
	expect(t, "stop", s.Call(1, "stop", "1"), "replied: DIDL")
}

func TestTimersFireOnceAndHeartbeatsEveryRound(t *testing.T) {
	s := stage(t, 2)
	s.Call(0, "environment", "0 timer count")
	s.Call(1, "environment", "1 heartbeat count")
	due := s.View().Time + 10*second
	expect(t, "set", s.Run(0, fmt.Sprintf("timer %d reply set", due)), "replied: set")
	beats := replicatest.Count(s.Canister(s.ID(1)))
	s.Round()
	if n := replicatest.Count(s.Canister(s.ID(0))); n != 0 {
		t.Errorf("the timer fired %d times before it was due", n)
	}
	if at := s.Activity().NextDue; at == 0 || at > due {
		t.Errorf("next due at %d", at)
	}
	s.Apply(replica.AdvanceTo(due))
	s.Round()
	s.Round()
	if n := replicatest.Count(s.Canister(s.ID(0))); n != 1 {
		t.Errorf("the timer fired %d times", n)
	}
	if n := replicatest.Count(s.Canister(s.ID(1))) - beats; n != 3 {
		t.Errorf("%d heartbeats in three rounds", n)
	}
}

func TestABestEffortCallExpiresAndItsLateAnswerIsDropped(t *testing.T) {
	s := replicatest.NewStage(t, replica.Config{SliceInstructions: 1_000_000})
	s.Create(2, plenty)
	id := submit(t, s, 0, "run", "call 1 cycles 7 within 10 (spend 3000000 reply late) then (reply answered) else (reply expired)")
	s.Round()
	s.Apply(replica.AdvanceTo(s.View().Time + 11*second))
	s.Round()
	expect(t, "the call", s.Answer(id), "replied: expired")
	for s.Activity().HasDueWork {
		s.Round()
	}
	expect(t, "the call later", s.Answer(id), "replied: expired")
}

func TestAnIngressMessageThatCannotStartInTimeExpires(t *testing.T) {
	s := stage(t, 1)
	loop := submit(t, s, 0, "run", "forever")
	s.Round()
	id := submit(t, s, 0, "run", "reply x")
	s.Apply(replica.AdvanceTo(s.View().Time + 301*second))
	s.Round()
	expect(t, "the message", s.Answer(id), "rejected 2 IC0202: Ingress message timed out waiting to start executing.")
	expect(t, "the loop", s.Answer(loop), "processing")
	s.Apply(replica.AdvanceTo(s.View().Time + 301*second))
	s.Round()
	expect(t, "the message after five minutes", s.Answer(id), "unknown")
}

func TestTheSameMessageAgainIsKnown(t *testing.T) {
	s := stage(t, 1)
	in := s.Message(0, "run", "count reply x")
	s.Apply(in)
	if r := s.Apply(in); r.Known != replica.Received {
		t.Errorf("known as %v", r.Known)
	}
	s.Round()
	if r := s.Apply(in); r.Known != replica.Replied {
		t.Errorf("known as %v", r.Known)
	}
	if n := replicatest.Count(s.Canister(s.ID(0))); n != 1 {
		t.Errorf("ran %d times", n)
	}
}

func TestMalformedMessagesAreRefused(t *testing.T) {
	s := stage(t, 2)
	for name, change := range map[string]func(*replica.Ingress){
		"another effective id": func(in *replica.Ingress) { in.Effective = s.ID(1) },
		"expired":              func(in *replica.Ingress) { in.Expiry = s.View().Time },
		"too far ahead":        func(in *replica.Ingress) { in.Expiry += 70 * second },
		"too large":            func(in *replica.Ingress) { in.Arg = make([]byte, replica.MaxIngressBytes) },
	} {
		in := s.Message(0, "run", "reply x")
		change(in)
		if r := s.Apply(in); r.Refusal == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestAuthorizeSaysWhatApplyWouldSay(t *testing.T) {
	s := stage(t, 2)
	refused := 0
	for name, change := range map[string]func(*replica.Ingress){
		"as it should be": func(*replica.Ingress) {},
		"unknown destination": func(in *replica.Ingress) {
			in.Receiver, in.Effective = principal.Canister(1<<40), principal.Canister(1<<40)
		},
		"too large":            func(in *replica.Ingress) { in.Arg = make([]byte, replica.MaxIngressBytes) },
		"management, a method": func(in *replica.Ingress) { in.Receiver, in.Method = principal.Management, "no_such_method" },
		"canister, a method":   func(in *replica.Ingress) { in.Method = "no_such_method" },
	} {
		in := s.Message(0, "run", "reply x")
		change(in)
		before := s.Authorize(in)
		after := s.Apply(in)
		if (before.Refusal == nil) != (after.Refusal == nil) || before.Reject != nil && after.Reject == nil {
			t.Errorf("%s: before %+v, after %+v", name, before, after)
		}
		if name[0] == 'm' && (before.Reject == nil || before.Reject.Text != after.Reject.Text) || name[0] == 'c' && before.Reject != nil {
			t.Errorf("%s: before %+v, after %+v", name, before, after)
		}
		if before.Refusal != nil || before.Reject != nil {
			refused++
		}
	}
	if refused != 3 {
		t.Errorf("%d messages are refused", refused)
	}
}

func TestAFrozenCanisterRefusesWork(t *testing.T) {
	s := stage(t, 2)
	s.Canister(s.ID(0)).Balance = cycles.Of(1_000_000_000)
	expect(t, "an update", s.Run(0, "reply x"), "rejected 2 IC0207: Canister lxzze-o7777-77777-aaaaa-cai is out of cycles")
	expect(t, "a call", s.Run(1, "call 0 (reply x) else (reply refused)"), "replied: refused")
	s.Canister(s.ID(0)).Balance = cycles.Amount{}
	expect(t, "an update", s.Run(0, "reply x"), "not accepted: SYS_TRANSIENT (IC0207)")
	s.Apply(replica.AddCycles{Canister: s.ID(0), Amount: cycles.Of(plenty)})
	expect(t, "an update", s.Run(0, "reply x"), "replied: x")
}

func TestALongMessageRunsOneSliceARoundAndDelaysNoOthers(t *testing.T) {
	s := replicatest.NewStage(t, replica.Config{SliceInstructions: 1_000_000})
	s.Create(2, plenty)
	long := submit(t, s, 0, "run", "spend 4500000 count reply long")
	for round := range 4 {
		s.Round()
		expect(t, fmt.Sprintf("round %d", round), s.Answer(long), "processing")
		if round == 1 {
			expect(t, "the other", s.Run(1, "reply quick"), "replied: quick")
			break
		}
	}
	s.Round()
	s.Round()
	expect(t, "the long one", s.Answer(long), "replied: long")
}

func TestClosingANetworkAbandonsParkedMessages(t *testing.T) {
	s := stage(t, 1)
	submit(t, s, 0, "run", "count forever")
	s.Round()
	s.Close()
	if s.Canister(s.ID(0)).Status != canister.Running {
		t.Error("closing changed the canister")
	}
}

func TestFiveHundredCallsFitBetweenTwoCanisters(t *testing.T) {
	s := stage(t, 2)
	calls := strings.Repeat("call 1 (reply x) then (count) ", 510)
	expect(t, "the calls", s.Run(0, calls+"reply made"), "replied: made")
	if n := replicatest.Count(s.Canister(s.ID(0))); n != 500 {
		t.Errorf("%d calls were answered, want 500", n)
	}
	expect(t, "later calls", s.Run(0, "call 1 (reply y) then (echo)"), "replied: y")
}

func TestTheLowMemoryHookRunsOnceWhenMemoryBecomesShort(t *testing.T) {
	s := stage(t, 1)
	s.Call(0, "environment", "0 low count")
	c := s.Canister(s.ID(0))
	c.Settings.WasmMemoryLimit, c.Settings.WasmMemoryThreshold = 1000, 2000
	s.Run(0, "reply x")
	s.Run(0, "reply x")
	if n := replicatest.Count(c); n != 1 {
		t.Errorf("the hook ran %d times", n)
	}
	c.Settings.WasmMemoryThreshold = 500
	s.Run(0, "reply x")
	c.Settings.WasmMemoryThreshold = 2000
	s.Run(0, "reply x")
	if n := replicatest.Count(c); n != 2 {
		t.Errorf("the hook ran %d times after memory was short again", n)
	}
}

func TestCanistersPayForTimeAndLoseTheirCodeWhenTheyCannot(t *testing.T) {
	s := stage(t, 2)
	rich, poor := s.Canister(s.ID(0)), s.Canister(s.ID(1))
	rich.Settings.ComputeAllocation, poor.Settings.ComputeAllocation = 10, 10
	poor.Balance = cycles.Of(1000)
	before := rich.Balance
	s.Apply(replica.AdvanceTo(s.View().Time + 100*second))
	s.Round()
	if paid := before.Sub(rich.Balance); paid.Less(cycles.Of(10_000_000_000)) || cycles.Of(12_000_000_000).Less(paid) {
		t.Errorf("100 seconds of 10 %% compute cost %s", paid)
	}
	if poor.Installed != 0 || poor.Settings.ComputeAllocation != 0 || !poor.Balance.IsZero() {
		t.Errorf("the poor canister still has code: %+v", poor.Settings)
	}
}

func TestAuthorizeRefusesAStrangersCommandAndNoCallOfACanister(t *testing.T) {
	s := real.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Nodes: 1}}})
	s.Create("mine", 0, 10_000_000_000_000)
	stop := s.Ingress(principal.Management, s.ID("mine"), "stop_canister", s.About("mine", ""))
	if result := s.Authorize(stop); result.Reject != nil || result.Refusal != nil {
		t.Errorf("the controller: %+v", result)
	}
	stop.Sender = principal.Anonymous
	result := s.Authorize(stop)
	if result.Reject == nil || result.Reject.Error.String() != "IC0512" {
		t.Errorf("a stranger: %+v", result)
	}
	if result := s.Authorize(s.Ingress(s.ID("mine"), s.ID("mine"), "stop_canister", nil)); result.Reject != nil || result.Refusal != nil {
		t.Errorf("a method of the canister with the name of a command: %+v", result)
	}
}
