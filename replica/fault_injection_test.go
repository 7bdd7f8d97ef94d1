package replica_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

func hold(kind replica.MessageKind) *replica.AddRule {
	return &replica.AddRule{Rule: replica.Rule{Match: replica.Match{Kind: kind}, Action: replica.Action{Kind: replica.ActHold}}}
}

// kinds counts events.
type kinds map[replica.EventKind]int

func (k kinds) Event(e *replica.Event) { k[e.Kind]++ }

func TestPastTheirBoundMessagesAreNotHeldAndAnEventSaysSo(t *testing.T) {
	saw := make(kinds)
	s := replicatest.NewStage(t, replica.Config{Events: saw})
	s.Create(1, 1_000_000_000_000_000)
	s.Apply(hold(replica.KindIngress))
	for range 10_001 {
		if _, refused := s.Submit(0, "run", "reply x"); refused != "" {
			t.Fatal(refused)
		}
	}
	s.Round()
	if census := s.Census(); census.Held != 10_000 || saw[replica.MessageHeld] != 10_000 || saw[replica.HoldRefused] != 1 || saw[replica.IngressAnswered] != 3 {
		t.Errorf("%d are held; events: %v", census.Held, saw)
	}
	if rules := s.Rules(); rules[0].Matched != 10_000 || rules[0].Passed != 1 {
		t.Errorf("%+v", rules[0])
	}
	if page := s.Introspect().Held(0, 9_999, 10); len(page) != 1 || page[0].ID != 10_000 {
		t.Errorf("the last page has %d messages", len(page))
	}
}

func TestWhatHeldMessagesCarryIsBounded(t *testing.T) {
	saw := make(kinds)
	s := replicatest.NewStage(t, replica.Config{Events: saw, HeldBytes: 100})
	s.Create(2, 1_000_000_000_000_000)
	s.Apply(hold(replica.KindRequest))
	for _, size := range []int{60, 41, 40} {
		if _, refused := s.Submit(0, "run", "call 1 ("+strings.Repeat("x", size)+")"); refused != "" {
			t.Fatal(refused)
		}
	}
	s.Round()
	if s.Census().Held != 2 || saw[replica.HoldRefused] != 1 {
		t.Errorf("%d are held, %d were refused", s.Census().Held, saw[replica.HoldRefused])
	}
	for held := s.Introspect().Held(0, 0, 1); len(held) > 0; held = s.Introspect().Held(0, 0, 1) {
		s.Apply(replica.ReleaseHeld{ID: held[0].ID})
	}
	if _, refused := s.Submit(0, "run", "call 1 ("+strings.Repeat("x", 100)+")"); refused != "" {
		t.Fatal(refused)
	}
	s.Round()
	if s.Census().Held != 1 {
		t.Error("what was released still counts")
	}
}

func TestThereAreOnlySoManyRules(t *testing.T) {
	s := replicatest.NewStage(t, replica.Config{})
	for range replica.MaxRules {
		if r := s.Apply(hold(replica.KindRequest)); r.Refusal != nil {
			t.Fatal(r.Refusal)
		}
	}
	if r := s.Apply(hold(replica.KindRequest)); r.Refusal == nil || r.Refusal.Kind != refusal.Full {
		t.Errorf("one too many: %+v", r)
	}
	long := hold(replica.KindRequest)
	long.Rule.Note = strings.Repeat("x", replica.MaxRuleTextBytes+1)
	s.Apply(replica.RemoveRule{ID: 1})
	if r := s.Apply(long); r.Refusal == nil || r.Refusal.Kind != refusal.Invalid {
		t.Errorf("a long note: %+v", r)
	}
}

// awaited makes A begin a call of the management canister and says what it waits for.
func (w *manualCompiler) awaited(t *testing.T, method, arg string, rounds int) *introspect.OpenFuture {
	t.Helper()
	call := canistertest.Call{Method: method, Arg: w.Args(arg), Cycles: 100_000_000_000, OnReject: canistertest.Script().RejectMessage().ReplyTop()}
	if _, refused := w.Submit("A", "run", canistertest.Script().Call(call).Drop().Bytes()); refused != "" {
		t.Fatal(refused)
	}
	for range rounds {
		w.Round()
	}
	futures, _ := w.Introspect().Futures(introspect.Page{})
	if len(futures) != 1 {
		t.Fatalf("%d futures after %s", len(futures), method)
	}
	return &futures[0]
}

func TestCallsOfTheManagementCanisterSayWhatTheyWaitFor(t *testing.T) {
	w := newManualCompiler(t, replica.Config{})
	past := "call %d is past its queue (%s): its callee answers it, and a guaranteed response is never lost"
	for _, c := range []struct {
		method, arg string
		reason      introspect.WaitReason
	}{
		{"http_request", `(record { url = "https://x"; method = variant { get }; headers = vec {} })`, introspect.WaitOutcall},
		{"raw_rand", `()`, introspect.WaitNextRound},
		{"sign_with_schnorr", `(record { message = blob "x"; derivation_path = vec {}; key_id = record { algorithm = variant { ed25519 }; name = "key_1" } })`, introspect.WaitManagement},
	} {
		f := w.awaited(t, c.method, c.arg, 1)
		if f.Waits.Reason != c.reason || f.Method != c.method || f.Waits.Text == "" {
			t.Errorf("%s waits: %+v", c.method, f)
		}
		r := w.Apply(&replica.SettleCall{Subnet: f.Subnet, Call: f.Call, Answer: replica.Settlement{Reply: []byte("x")}})
		if r.Refusal == nil || r.Refusal.Text != fmt.Sprintf(past, f.Call, c.reason) {
			t.Errorf("%s is settled: %+v", c.method, r.Refusal)
		}
		if c.reason == introspect.WaitOutcall {
			r := w.Apply(&replica.HTTPAnswer{Subnet: f.Subnet, Answers: []replica.OutcallAnswer{{Status: 200}}})
			if r.Refusal != nil {
				t.Fatal(r.Refusal)
			}
		}
		w.runUntilIdle()
	}
}

func TestACallThatWaitsForAModuleIsSettled(t *testing.T) {
	w := newManualCompiler(t, replica.Config{})
	id := w.begin(t, canistertest.Script().Call(w.installs(real.Install, some("one"), answered())).Drop())
	futures, _ := w.Introspect().Futures(introspect.Page{})
	messages, _ := w.Introspect().Messages(introspect.Page{})
	if len(futures) != 1 || futures[0].Waits.Reason != introspect.WaitCompiling || len(messages) != 1 || messages[0].Waits.Reason != introspect.WaitCompiling {
		t.Fatalf("%+v %+v", futures, messages)
	}
	reject := &intercanister.Reject{Code: intercanister.SysTransient, Text: "enough"}
	if r := w.Apply(&replica.SettleCall{Subnet: futures[0].Subnet, Call: futures[0].Call, Answer: replica.Settlement{Reject: reject}}); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	w.runUntilIdle()
	if a := w.Answer(id); string(a.Reply) != "enough" {
		t.Errorf("the answer is %s", a)
	}
	w.finish()
	if w.hash("T") != [32]byte{} {
		t.Error("the module was installed")
	}
	if count := w.Introspect().AuditCycles(); !balanced(&count) {
		t.Errorf("the books do not balance: %+v", count)
	}
}
