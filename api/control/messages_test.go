package control_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

// cast are canisters that run programs, by letters.
func cast(a *api, names ...string) []principal.Principal {
	a.Helper()
	var all []principal.Principal
	for _, name := range names {
		id := a.scripted()
		a.mask(id.String(), name)
		all = append(all, id)
	}
	return all
}

// runs sends a canister a program as a user.
func (a *api) runs(id principal.Principal, p *canistertest.Program) replica.RequestID {
	a.Helper()
	return a.sent(id, id, "run", p.Bytes())
}

// asks is a program that calls a canister and answers what it answers.
func asks(callee principal.Principal, says string) canistertest.Call {
	return canistertest.Call{
		Callee: callee, Program: canistertest.Script().ReplyText(says),
		OnReply: canistertest.Script().Arg().ReplyTop(), OnReject: canistertest.Script().Text("rejected: ").Append().RejectMessage().ReplyTop(),
	}
}

func bestEffort(c canistertest.Call, seconds uint64) canistertest.Call {
	c.Timeout = &seconds
	return c
}

// idle runs rounds until nothing is left to be done.
func (a *api) idle() {
	a.Helper()
	must(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_Idle{Idle: true}})
}

// said is what a user's message was answered, "" where it was not yet.
func (a *api) said(id replica.RequestID) string {
	a.Helper()
	answer := make(chan string, 1)
	err := a.node().Do(a.ctx, func(n *replica.Network) {
		for _, s := range n.View().Subnets {
			if got, ok := n.IngressAnswer(s.ID, id); ok {
				if got.Reject != nil {
					answer <- "rejected: " + got.Reject.Text
				} else {
					answer <- string(got.Reply)
				}
				return
			}
		}
		answer <- "unknown"
	})
	if err != nil {
		a.Fatal(err)
	}
	return <-answer
}

func holds(m *controlv1.Match) *controlv1.AddRuleRequest {
	return &controlv1.AddRuleRequest{Rule: &controlv1.Rule{Match: m, Action: &controlv1.Rule_Hold{Hold: true}}}
}

func TestWhatIsInFlightIsListedWithWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	ids := cast(a, "ALICE", "BOB", "CAROL")
	alice, bob, carol := ids[0], ids[1], ids[2]
	must(a, a.messages.AddRule, holds(&controlv1.Match{Kind: controlv1.MessageKind_MESSAGE_KIND_RESPONSE, Callee: carol.String()}))
	outer := asks(bob, "")
	outer.Program = canistertest.Script().Call(asks(carol, "over"))
	a.runs(alice, canistertest.Script().Call(outer))
	a.runs(carol, canistertest.Script().Timer(uint64(beginning.Add(time.Hour).UnixNano())).Drop().Call(bestEffort(asks(bob, "x"), 300)))
	a.idle()
	a.runs(bob, canistertest.Script().ReplyText("waits for a round"))
	call(a, a.messages.ListContexts, &controlv1.ListContextsRequest{})
	call(a, a.messages.ListFutures, &controlv1.ListFuturesRequest{})
	call(a, a.messages.ListMessages, &controlv1.ListMessagesRequest{})
	call(a, a.messages.ListTimers, &controlv1.ListTimersRequest{CanisterId: carol.String()})
	a.note("of one canister, and in pages")
	call(a, a.messages.ListContexts, &controlv1.ListContextsRequest{CanisterId: bob.String()})
	page := call(a, a.messages.ListFutures, &controlv1.ListFuturesRequest{Page: &controlv1.Page{Size: 1}})
	call(a, a.messages.ListFutures, &controlv1.ListFuturesRequest{Page: &controlv1.Page{Size: 1000, Token: page.GetNextPageToken()}})
	a.compare("messages_lists")
}

func TestMessagesAreHeldAndLetGo(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	ids := cast(a, "ALICE", "BOB")
	alice, bob := ids[0], ids[1]
	rule := call(a, a.messages.AddRule, &controlv1.AddRuleRequest{Rule: &controlv1.Rule{
		Match: &controlv1.Match{Caller: alice.String(), Callee: bob.String(), Method: "r*", Skip: 1, Times: 3}, Action: &controlv1.Rule_Hold{Hold: true}, Note: "calls to Bob",
	}}).GetRule()
	var sent []replica.RequestID
	for _, says := range []string{"skipped", "first", "second", "third", "past the rule"} {
		sent = append(sent, a.runs(alice, canistertest.Script().Call(asks(bob, says))))
	}
	first := call(a, a.messages.AwaitHeld, &controlv1.AwaitHeldRequest{RuleId: rule.GetRuleId()}).GetHeld()
	second := must(a, a.messages.AwaitHeld, &controlv1.AwaitHeldRequest{After: first.GetHeldId()}).GetHeld()
	a.idle()
	call(a, a.messages.ListRules, &controlv1.ListRulesRequest{})
	page := call(a, a.messages.ListHeld, &controlv1.ListHeldRequest{RuleId: rule.GetRuleId(), Page: &controlv1.Page{Size: 2}})
	call(a, a.messages.ListHeld, &controlv1.ListHeldRequest{Page: &controlv1.Page{Size: 2, Token: page.GetNextPageToken()}})
	a.note("the order of calls of one canister to another is kept")
	call(a, a.messages.Release, &controlv1.ReleaseRequest{HeldId: second.GetHeldId()})
	call(a, a.messages.Release, &controlv1.ReleaseRequest{HeldId: first.GetHeldId()})
	call(a, a.messages.Release, &controlv1.ReleaseRequest{HeldId: first.GetHeldId()})
	a.note("a run for an answer stops where it is held")
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_RequestId{RequestId: sent[2][:]}})
	a.note("the rest goes with the rule")
	call(a, a.messages.RemoveRule, &controlv1.RemoveRuleRequest{RuleId: rule.GetRuleId(), Release: true})
	call(a, a.messages.RemoveRule, &controlv1.RemoveRuleRequest{RuleId: rule.GetRuleId()})
	a.idle()
	for _, id := range sent {
		a.note("%s", a.said(id))
	}
	a.compare("messages_held")
}

// A timer that fires for ever must not run for years because a client waits for something that never comes.
func TestWhoAwaitsAHeldMessageLetsNoTimePass(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	a.started(time.Hour)
	before := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetTime().AsTime()
	if _, err := a.messages.AwaitHeld(a.ctx, &controlv1.AwaitHeldRequest{}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("got %v", err)
	}
	if after := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetTime().AsTime(); after.Sub(before) > time.Second {
		t.Errorf("the time went from %s to %s", before, after)
	}
}

func TestCallsAreLostAndSettledAsANetworkCould(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	ids := cast(a, "ALICE", "BOB")
	alice, bob := ids[0], ids[1]
	must(a, a.messages.AddRule, holds(&controlv1.Match{Callee: bob.String()}))
	held := func(c canistertest.Call) (replica.RequestID, uint64) {
		id := a.runs(alice, canistertest.Script().Call(c))
		a.idle()
		all := must(a, a.messages.ListHeld, &controlv1.ListHeldRequest{}).GetHeld()
		return id, all[len(all)-1].GetHeldId()
	}
	byHeld := func(id uint64, answer *controlv1.Answer) {
		call(a, a.messages.Settle, &controlv1.SettleRequest{Which: &controlv1.SettleRequest_HeldId{HeldId: id}, Answer: answer})
	}
	reply := func(text string) *controlv1.Answer {
		return &controlv1.Answer{Answer: &controlv1.Answer_Reply{Reply: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: []byte(text)}}}}
	}
	unknown := &controlv1.Answer{Answer: &controlv1.Answer_Unknown{Unknown: true}}
	var sent []replica.RequestID
	a.note("a guaranteed response is never lost, and no caller learns that it is unknown")
	id, guaranteed := held(asks(bob, "x"))
	sent = append(sent, id)
	call(a, a.messages.Drop, &controlv1.DropRequest{HeldId: guaranteed})
	byHeld(guaranteed, unknown)
	byHeld(guaranteed, reply("settled"))
	byHeld(guaranteed, reply("settled again"))
	a.note("a best-effort call is: its caller hears that when the time is over")
	id, lost := held(bestEffort(asks(bob, "x"), 10))
	sent = append(sent, id)
	call(a, a.messages.Drop, &controlv1.DropRequest{HeldId: lost})
	id, unheard := held(bestEffort(asks(bob, "x"), 10))
	sent = append(sent, id)
	byHeld(unheard, unknown)
	id, rejected := held(asks(bob, "x"))
	sent = append(sent, id)
	reject := func(code controlv1.RejectCode) *controlv1.Answer {
		return &controlv1.Answer{Answer: &controlv1.Answer_Reject{Reject: &controlv1.Reject{Code: code, Text: "not today"}}}
	}
	byHeld(rejected, reject(0))
	byHeld(rejected, reject(controlv1.RejectCode_REJECT_CODE_SYS_UNKNOWN))
	byHeld(rejected, nil)
	byHeld(rejected, reject(controlv1.RejectCode_REJECT_CODE_CANISTER_REJECT))
	a.note("a call is settled by its name; one that is answered is not")
	id, _ = held(asks(bob, "x"))
	sent = append(sent, id)
	futures := must(a, a.messages.ListFutures, &controlv1.ListFuturesRequest{}).GetFutures()
	named := &controlv1.SettleRequest{Which: &controlv1.SettleRequest_Call{Call: futures[len(futures)-1].GetCall()}, Answer: reply("by name")}
	call(a, a.messages.Settle, named)
	call(a, a.messages.Settle, named)
	must(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(time.Minute)}})
	call(a, a.messages.Settle, named)
	for _, id := range sent {
		a.note("%s", a.said(id))
	}
	a.compare("messages_settled")
}

// A page has fewer rules than it may where they are large.
func TestRulesAreListedInPages(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	add := func(r *controlv1.Rule) uint64 {
		r.Match = &controlv1.Match{Callee: "aaaaa-aa"}
		return must(a, a.messages.AddRule, &controlv1.AddRuleRequest{Rule: r}).GetRule().GetRuleId()
	}
	hold := func(note string) *controlv1.Rule {
		return &controlv1.Rule{Action: &controlv1.Rule_Hold{Hold: true}, Note: note}
	}
	for _, note := range []string{"one", "two", "three", "four", "five"} {
		add(hold(note))
	}
	list := func(size uint32, token string) string {
		return call(a, a.messages.ListRules, &controlv1.ListRulesRequest{Page: &controlv1.Page{Size: size, Token: token}}).GetNextPageToken()
	}
	next := list(2, "")
	a.note("a list goes on behind a rule that has gone meanwhile")
	must(a, a.messages.RemoveRule, &controlv1.RemoveRuleRequest{RuleId: 2})
	must(a, a.messages.RemoveRule, &controlv1.RemoveRuleRequest{RuleId: 3})
	list(0, list(1, next))
	a.compare("messages_rules_pages")

	large := rawOf(strings.Repeat("x", 2_000_000))
	for range 2 {
		add(&controlv1.Rule{Action: &controlv1.Rule_Answer{Answer: &controlv1.Answer{Answer: &controlv1.Answer_Reply{Reply: large}}}})
	}
	for range 96 {
		add(hold(""))
	}
	var rules []int
	for page := (&controlv1.Page{}); ; {
		out := must(a, a.messages.ListRules, &controlv1.ListRulesRequest{Page: page})
		rules = append(rules, len(out.GetRules()))
		if page.Token = out.GetNextPageToken(); page.GetToken() == "" {
			break
		}
	}
	if want := []int{4, 97}; !slices.Equal(rules, want) {
		t.Errorf("the pages have %d rules, want %d", rules, want)
	}
}

func TestRulesAnswerDelayAndLose(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	ids := cast(a, "ALICE", "BOB")
	alice, bob := ids[0], ids[1]
	rule := func(r *controlv1.Rule) uint64 {
		r.Match = &controlv1.Match{Callee: bob.String()}
		return call(a, a.messages.AddRule, &controlv1.AddRuleRequest{Rule: r}).GetRule().GetRuleId()
	}
	try := func(id uint64, c canistertest.Call) {
		begun := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetTime().AsTime()
		sent := a.runs(alice, canistertest.Script().Call(c))
		must(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_RequestId{RequestId: sent[:]}})
		passed := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetTime().AsTime().Sub(begun)
		a.note("%s, after %s", a.said(sent), passed.Truncate(time.Second))
		if id != 0 {
			must(a, a.messages.RemoveRule, &controlv1.RemoveRuleRequest{RuleId: id})
		}
	}
	reply := &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: []byte("in the place of Bob")}}
	try(rule(&controlv1.Rule{Action: &controlv1.Rule_Answer{Answer: &controlv1.Answer{Answer: &controlv1.Answer_Reply{Reply: reply}}}}), asks(bob, "x"))
	reject := &controlv1.Reject{Code: controlv1.RejectCode_REJECT_CODE_DESTINATION_INVALID, Text: "gone"}
	try(rule(&controlv1.Rule{Action: &controlv1.Rule_Answer{Answer: &controlv1.Answer{Answer: &controlv1.Answer_Reject{Reject: reject}}}}), asks(bob, "x"))
	try(rule(&controlv1.Rule{Action: &controlv1.Rule_Answer{Answer: &controlv1.Answer{Answer: &controlv1.Answer_Unknown{Unknown: true}}}}), bestEffort(asks(bob, "x"), 10))
	drop := rule(&controlv1.Rule{Action: &controlv1.Rule_Drop{Drop: true}})
	try(0, asks(bob, "passes the rule"))
	try(drop, bestEffort(asks(bob, "x"), 10))
	try(rule(&controlv1.Rule{Action: &controlv1.Rule_Delay{Delay: durationpb.New(time.Minute)}}), asks(bob, "late"))
	a.compare("messages_rules")
}

func TestTimersAreFiredAndCancelled(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	id := cast(a, "CLOCK")[0]
	again := canistertest.Script().Count(1).Timer(uint64(beginning.Add(24 * time.Hour).UnixNano())).Drop()
	set := a.runs(id, canistertest.Script().Hook(canistertest.HookTimer, again).Timer(uint64(beginning.Add(time.Hour).UnixNano())).Drop().ReplyText("set"))
	a.idle()
	a.note("%s", a.said(set))
	must(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(10 * time.Minute)}})
	call(a, a.messages.FireTimer, &controlv1.FireTimerRequest{CanisterId: id.String()})
	a.idle()
	fired := a.runs(id, canistertest.Script().Get().ReplyInt())
	a.idle()
	a.note("fired: %q", a.said(fired))
	call(a, a.messages.ListTimers, &controlv1.ListTimersRequest{CanisterId: id.String()})
	call(a, a.messages.CancelTimer, &controlv1.CancelTimerRequest{CanisterId: id.String()})
	call(a, a.messages.ListTimers, &controlv1.ListTimersRequest{CanisterId: id.String()})
	a.note("what is not set")
	call(a, a.messages.FireTimer, &controlv1.FireTimerRequest{CanisterId: id.String()})
	call(a, a.messages.CancelTimer, &controlv1.CancelTimerRequest{CanisterId: id.String()})
	call(a, a.messages.FireTimer, &controlv1.FireTimerRequest{CanisterId: "aaaaa-aa"})
	a.note("a heart")
	heart := a.fixture("heart")
	a.mask(heart.String(), "HEART")
	call(a, a.messages.ListTimers, &controlv1.ListTimersRequest{CanisterId: heart.String()})
	a.compare("messages_timers")
}

func TestBadArgumentsOfMessagesAreRefused(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	rule := func(r *controlv1.Rule) { call(a, a.messages.AddRule, &controlv1.AddRuleRequest{Rule: r}) }
	rule(nil)
	rule(&controlv1.Rule{})
	rule(&controlv1.Rule{Match: &controlv1.Match{Kind: 9}})
	rule(&controlv1.Rule{Match: &controlv1.Match{Caller: "x"}})
	rule(&controlv1.Rule{Match: &controlv1.Match{Callee: "x"}})
	rule(&controlv1.Rule{Action: &controlv1.Rule_Hold{}})
	rule(&controlv1.Rule{Action: &controlv1.Rule_Drop{}})
	rule(&controlv1.Rule{Action: &controlv1.Rule_Delay{}})
	rule(&controlv1.Rule{Action: &controlv1.Rule_Delay{Delay: durationpb.New(-1)}})
	rule(&controlv1.Rule{Action: &controlv1.Rule_Answer{}})
	rule(&controlv1.Rule{Action: &controlv1.Rule_Answer{Answer: &controlv1.Answer{Answer: &controlv1.Answer_Unknown{}}}})
	answer := func(v *controlv1.Value) *controlv1.Rule {
		return &controlv1.Rule{Action: &controlv1.Rule_Answer{Answer: &controlv1.Answer{Answer: &controlv1.Answer_Reply{Reply: v}}}}
	}
	rule(answer(&controlv1.Value{Form: &controlv1.Value_Text{Text: "(1 : "}}))
	rule(answer(&controlv1.Value{Form: &controlv1.Value_Json{Json: "1"}}))
	a.note("what no network could do")
	ingress := &controlv1.Match{Kind: controlv1.MessageKind_MESSAGE_KIND_INGRESS}
	rule(&controlv1.Rule{Match: ingress, Action: &controlv1.Rule_Answer{Answer: &controlv1.Answer{Answer: &controlv1.Answer_Unknown{Unknown: true}}}})
	a.note("lists")
	call(a, a.messages.ListContexts, &controlv1.ListContextsRequest{CanisterId: "x"})
	call(a, a.messages.ListFutures, &controlv1.ListFuturesRequest{Page: &controlv1.Page{Size: 1001}})
	call(a, a.messages.ListMessages, &controlv1.ListMessagesRequest{Page: &controlv1.Page{Token: "x"}})
	call(a, a.messages.ListTimers, &controlv1.ListTimersRequest{CanisterId: "x"})
	call(a, a.messages.ListRules, &controlv1.ListRulesRequest{Page: &controlv1.Page{Size: 1001}})
	call(a, a.messages.ListRules, &controlv1.ListRulesRequest{Page: &controlv1.Page{Token: "x"}})
	call(a, a.messages.ListHeld, &controlv1.ListHeldRequest{Page: &controlv1.Page{Token: "x"}})
	call(a, a.messages.ListOutcalls, &controlv1.ListOutcallsRequest{Page: &controlv1.Page{Size: 1001}})
	a.note("what there is not")
	call(a, a.messages.AwaitHeld, &controlv1.AwaitHeldRequest{})
	call(a, a.messages.AwaitHeld, &controlv1.AwaitHeldRequest{RuleId: 7})
	call(a, a.messages.Release, &controlv1.ReleaseRequest{HeldId: 7})
	call(a, a.messages.Drop, &controlv1.DropRequest{HeldId: 7})
	call(a, a.messages.Settle, &controlv1.SettleRequest{})
	reply := &controlv1.Answer{Answer: &controlv1.Answer_Reply{}}
	call(a, a.messages.Settle, &controlv1.SettleRequest{Which: &controlv1.SettleRequest_HeldId{HeldId: 7}, Answer: reply})
	call(a, a.messages.Settle, &controlv1.SettleRequest{Which: &controlv1.SettleRequest_Call{Call: &controlv1.CallRef{SubnetId: "aaaaa-aa", CallId: 7}}, Answer: reply})
	call(a, a.messages.Settle, &controlv1.SettleRequest{Which: &controlv1.SettleRequest_Call{Call: &controlv1.CallRef{}}, Answer: reply})
	call(a, a.messages.FireTimer, &controlv1.FireTimerRequest{})
	call(a, a.messages.CancelTimer, &controlv1.CancelTimerRequest{CanisterId: "x"})
	call(a, a.messages.AnswerOutcall, &controlv1.AnswerOutcallRequest{})
	call(a, a.messages.AnswerOutcall, &controlv1.AnswerOutcallRequest{SubnetId: "aaaaa-aa"})
	call(a, a.messages.AnswerOutcall, &controlv1.AnswerOutcallRequest{SubnetId: "aaaaa-aa", Incarnation: "1"})
	a.compare("messages_refused")
}

func TestEveryRPCOfMessagesReportsAMissingInstance(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	call(a, a.messages.ListContexts, &controlv1.ListContextsRequest{Instance: "x"})
	call(a, a.messages.ListFutures, &controlv1.ListFuturesRequest{Instance: "x"})
	call(a, a.messages.ListMessages, &controlv1.ListMessagesRequest{Instance: "x"})
	call(a, a.messages.ListTimers, &controlv1.ListTimersRequest{Instance: "x"})
	call(a, a.messages.FireTimer, &controlv1.FireTimerRequest{Instance: "x", CanisterId: "aaaaa-aa"})
	call(a, a.messages.CancelTimer, &controlv1.CancelTimerRequest{Instance: "x", CanisterId: "aaaaa-aa"})
	call(a, a.messages.AddRule, &controlv1.AddRuleRequest{Instance: "x"})
	call(a, a.messages.RemoveRule, &controlv1.RemoveRuleRequest{Instance: "x"})
	call(a, a.messages.ListRules, &controlv1.ListRulesRequest{Instance: "x"})
	call(a, a.messages.ListHeld, &controlv1.ListHeldRequest{Instance: "x"})
	call(a, a.messages.AwaitHeld, &controlv1.AwaitHeldRequest{Instance: "x"})
	call(a, a.messages.Release, &controlv1.ReleaseRequest{Instance: "x"})
	call(a, a.messages.Drop, &controlv1.DropRequest{Instance: "x"})
	call(a, a.messages.Settle, &controlv1.SettleRequest{Instance: "x"})
	call(a, a.messages.ListOutcalls, &controlv1.ListOutcallsRequest{Instance: "x"})
	call(a, a.messages.AnswerOutcall, &controlv1.AnswerOutcallRequest{Instance: "x"})
	a.compare("messages_no_instance")
}

// Where the wall clock moves time, a client waits for a held message until there is one,
// its deadline comes, or it goes away; nothing of that disturbs the others.
func TestAHeldMessageIsAwaitedWhileTheWallClockMovesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, a := bubbled(t)
		ids := cast(a, "ALICE", "BOB")
		alice, bob := ids[0], ids[1]
		for range 2 {
			rule := must(a, a.messages.AddRule, holds(&controlv1.Match{Callee: bob.String()})).GetRule().GetRuleId()
			short, cancel := context.WithTimeout(a.ctx, 20*time.Millisecond)
			defer cancel()
			if _, err := a.messages.AwaitHeld(short, &controlv1.AwaitHeldRequest{RuleId: rule}); status.Code(err) != codes.DeadlineExceeded {
				t.Errorf("nothing is held: %v", err)
			}
			gone, leave := context.WithCancel(a.ctx)
			left, found, removed := make(chan error, 1), make(chan *controlv1.Held, 2), make(chan error, 1)
			go func() {
				_, err := a.messages.AwaitHeld(gone, &controlv1.AwaitHeldRequest{RuleId: rule})
				left <- err
			}()
			for range 2 {
				other := b.client()
				go func() {
					out, err := other.messages.AwaitHeld(a.ctx, &controlv1.AwaitHeldRequest{RuleId: rule})
					if err != nil {
						t.Error(err)
					}
					found <- out.GetHeld()
				}()
			}
			leave()
			if err := <-left; status.Code(err) != codes.Canceled {
				t.Errorf("the client that went away: %v", err)
			}
			sent := a.runs(alice, canistertest.Script().Call(asks(bob, "x")))
			first, second := <-found, <-found
			if first.GetHeldId() == 0 || first.GetHeldId() != second.GetHeldId() {
				t.Errorf("two clients see %v and %v", first, second)
			}
			go func() {
				_, err := a.messages.AwaitHeld(a.ctx, &controlv1.AwaitHeldRequest{RuleId: rule, After: first.GetHeldId()})
				removed <- err
			}()
			must(a, a.messages.RemoveRule, &controlv1.RemoveRuleRequest{RuleId: rule, Release: true})
			if err := <-removed; status.Code(err) != codes.NotFound {
				t.Errorf("who waits for a rule that is removed: %v", err)
			}
			if said := a.answeredBy(sent)[0]; said != "x" {
				t.Errorf("the call is answered %q", said)
			}
		}
	})
}
