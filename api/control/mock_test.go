package control_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

type mockStream = grpc.BidiStreamingClient[controlv1.MockRequest, controlv1.MockResponse]

// mocks begins a mock of the method run of a canister and waits until it holds.
func (a *api) mocks(ctx context.Context, id principal.Principal) mockStream {
	a.Helper()
	stream, err := a.messages.Mock(ctx)
	if err != nil {
		a.Fatal(err)
	}
	if err := stream.Send(&controlv1.MockRequest{Part: &controlv1.MockRequest_Head{Head: &controlv1.MockHead{CanisterId: id.String(), Method: "run"}}}); err != nil {
		a.Fatal(err)
	}
	if in, err := stream.Recv(); err != nil || !in.GetReady() {
		a.Fatalf("the mock is not ready: %v, %v", in, err)
	}
	return stream
}

func (a *api) called(stream mockStream) *controlv1.MockedCall {
	a.Helper()
	in, err := stream.Recv()
	if err != nil || in.GetCall() == nil {
		a.Fatalf("got %v, %v", in, err)
	}
	return in.GetCall()
}

func mockReply(id uint64, text string) *controlv1.MockAnswer {
	value := &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: []byte(text)}}
	return &controlv1.MockAnswer{HeldId: id, Answer: &controlv1.MockAnswer_With{With: &controlv1.Answer{Answer: &controlv1.Answer_Reply{Reply: value}}}}
}

func (a *api) answers(stream mockStream, answer *controlv1.MockAnswer) {
	a.Helper()
	if err := stream.Send(&controlv1.MockRequest{Part: &controlv1.MockRequest_Answer{Answer: answer}}); err != nil {
		a.Fatal(err)
	}
}

// answeredBy runs until messages are answered, while a mock thinks, and gives what they
// were answered.
func (a *api) answeredBy(ids ...replica.RequestID) (said []string) {
	a.Helper()
	for _, id := range ids {
		out := must(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_RequestId{RequestId: id[:]}})
		if out.GetReason() != controlv1.StopReason_STOP_REASON_CONDITION {
			a.Errorf("the run stops because of %s", out.GetReason())
		}
		said = append(said, a.said(id))
	}
	return said
}

// Bob does not exist: his calls are mocked, several at once, and answered in another order.
func TestAMockAnswersInThePlaceOfACanisterThatDoesNotExist(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	alice := cast(a, "ALICE")[0]
	bob := principal.Canister(7)
	stream := a.mocks(a.ctx, bob)
	var sent []replica.RequestID
	for _, says := range []string{"one", "two", "three"} {
		sent = append(sent, a.runs(alice, canistertest.Script().Call(asks(bob, says))))
	}
	go func() {
		var calls []*controlv1.MockedCall
		for range sent {
			calls = append(calls, a.called(stream))
		}
		slices.Reverse(calls)
		for _, c := range calls {
			a.answers(stream, mockReply(c.GetHeldId(), fmt.Sprintf("%s to %s: %d bytes", c.GetMethod(), c.GetCanisterId(), len(c.GetArgument().GetBytes()))))
		}
	}()
	said := a.answeredBy(sent...)
	for i, says := range []string{"one", "two", "three"} {
		want := fmt.Sprintf("run to %s: %d bytes", bob, len(canistertest.Script().ReplyText(says).Bytes()))
		if said[i] != want {
			t.Errorf("%s is answered %q, want %q", says, said[i], want)
		}
	}
}

func TestAMockRejectsPassesOnAndComesTooLate(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	ids := cast(a, "ALICE", "BOB")
	alice, bob := ids[0], ids[1]
	stream := a.mocks(a.ctx, bob)
	next := func(id principal.Principal, p *canistertest.Program) (replica.RequestID, uint64) {
		sent := a.runs(id, p)
		must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{})
		return sent, a.called(stream).GetHeldId()
	}
	rejected, held := next(alice, canistertest.Script().Call(asks(bob, "x")))
	reject := &controlv1.Reject{Code: controlv1.RejectCode_REJECT_CODE_CANISTER_REJECT, Text: "no"}
	a.answers(stream, &controlv1.MockAnswer{HeldId: held, Answer: &controlv1.MockAnswer_With{With: &controlv1.Answer{Answer: &controlv1.Answer_Reject{Reject: reject}}}})
	a.answers(stream, mockReply(held, "a second answer"))
	if in, err := stream.Recv(); err != nil || in.GetGone().GetHeldId() != held {
		t.Fatalf("to a second answer the daemon says %v, %v", in, err)
	}
	passed, held := next(alice, canistertest.Script().Call(asks(bob, "the real Bob")))
	a.answers(stream, &controlv1.MockAnswer{HeldId: held, Answer: &controlv1.MockAnswer_Pass{Pass: true}})
	ofUser, held := next(bob, canistertest.Script().ReplyText("x"))
	a.answers(stream, mockReply(held, "to a user"))
	said := a.answeredBy(rejected, passed, ofUser)
	if want := []string{"rejected: no", "the real Bob", "to a user"}; !slices.Equal(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
}

func TestAMockThatEndsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(cancel context.CancelFunc, stream mockStream, other *api)
		want codes.Code
	}{
		{"its client goes away", func(cancel context.CancelFunc, _ mockStream, _ *api) { cancel() }, codes.Canceled},
		{"its connection breaks", func(_ context.CancelFunc, _ mockStream, other *api) { other.conn.Close() }, codes.Canceled},
		{"its client closes its side", func(_ context.CancelFunc, stream mockStream, _ *api) { stream.CloseSend() }, codes.OK},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := byHand(t)
			ids := cast(a, "ALICE", "BOB")
			alice, bob := ids[0], ids[1]
			other := connected(t, a.daemon)
			ctx, cancel := context.WithCancel(a.ctx)
			defer cancel()
			stream := other.mocks(ctx, bob)
			left := a.runs(alice, canistertest.Script().Call(asks(bob, "x")))
			must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{})
			a.called(stream)
			c.end(cancel, stream, other)
			_, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				err = nil
			}
			if status.Code(err) != c.want {
				t.Errorf("the stream ends with %v, want %s", err, c.want)
			}
			if said := a.answeredBy(left)[0]; !strings.HasPrefix(said, "rejected: the mock of method \"run\" of canister "+bob.String()+" has ended") {
				t.Errorf("the call that was left is answered %q", said)
			}
			if rules := must(a, a.messages.ListRules, &controlv1.ListRulesRequest{}).GetRules(); len(rules) != 0 {
				t.Errorf("rules are left: %v", rules)
			}
			if said := a.answeredBy(a.runs(alice, canistertest.Script().Call(asks(bob, "the real Bob"))))[0]; said != "the real Bob" {
				t.Errorf("after it Bob answers %q", said)
			}
		})
	}
}

func TestMocksOfTwoClientsWorkSideBySideWhileTheWallClockMovesTime(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	alice := cast(a, "ALICE")[0]
	for i := range 2 {
		id := principal.Canister(uint64(7 + i))
		other := connected(t, a.daemon)
		stream := other.mocks(a.ctx, id)
		go func() {
			for {
				in, err := stream.Recv()
				if err != nil {
					return
				}
				other.answers(stream, mockReply(in.GetCall().GetHeldId(), "mock of "+id.String()))
			}
		}()
	}
	for range 20 {
		for i := range 2 {
			id := principal.Canister(uint64(7 + i))
			if said := a.answeredBy(a.runs(alice, canistertest.Script().Call(asks(id, "x"))))[0]; said != "mock of "+id.String() {
				t.Fatalf("got %q", said)
			}
		}
	}
}

func TestBadMocksAreRefused(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	bob := cast(a, "BOB")[0]
	head := func(h *controlv1.MockHead) *controlv1.MockRequest {
		return &controlv1.MockRequest{Part: &controlv1.MockRequest_Head{Head: h}}
	}
	answer := func(in *controlv1.MockAnswer) *controlv1.MockRequest {
		return &controlv1.MockRequest{Part: &controlv1.MockRequest_Answer{Answer: in}}
	}
	good := head(&controlv1.MockHead{CanisterId: bob.String(), Method: "run"})
	for _, talk := range [][]*controlv1.MockRequest{
		{{}},
		{head(&controlv1.MockHead{Instance: "x"})},
		{head(&controlv1.MockHead{})},
		{head(&controlv1.MockHead{CanisterId: "x"})},
		{head(&controlv1.MockHead{CanisterId: "aaaaa-aa", ArgumentForm: 9})},
		{head(&controlv1.MockHead{CanisterId: "aaaaa-aa", Method: strings.Repeat("x", 5000)})},
		{good, good},
		{good, answer(&controlv1.MockAnswer{HeldId: 1})},
		{good, answer(&controlv1.MockAnswer{HeldId: 1, Answer: &controlv1.MockAnswer_Pass{}})},
		{good, answer(&controlv1.MockAnswer{HeldId: 1, Answer: &controlv1.MockAnswer_With{}})},
	} {
		a.refusedTalk(bob, talk)
	}
	a.mask(strings.Repeat("x", 5000), "LONG")
	a.compare("mock_refused")
}

// refusedTalk writes down how a stream ends; its answers are to the call of a user.
func (a *api) refusedTalk(bob principal.Principal, talk []*controlv1.MockRequest) {
	a.Helper()
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	stream, err := a.messages.Mock(ctx)
	if err != nil {
		a.Fatal(err)
	}
	for i, in := range talk {
		if i == 1 && in.GetAnswer() != nil {
			if _, err := stream.Recv(); err != nil {
				a.Fatal(err)
			}
			a.runs(bob, canistertest.Script().ReplyText("x"))
			in.GetAnswer().HeldId = a.called(stream).GetHeldId()
		}
		a.asked(in)
		if err := stream.Send(in); err != nil {
			a.Fatal(err)
		}
	}
	for err == nil {
		_, err = stream.Recv()
	}
	a.failed(err)
}

func TestAnswersAreReadByTheInterfaceOfTheCallee(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	caller, counter := a.fixture("caller"), a.fixture("counter")
	a.mask(caller.String(), "CALLER")
	a.mask(counter.String(), "COUNTER")
	reply := func(v *controlv1.Value) *controlv1.Rule {
		return &controlv1.Rule{
			Match:  &controlv1.Match{Callee: counter.String(), Method: "inc"},
			Action: &controlv1.Rule_Answer{Answer: &controlv1.Answer{Answer: &controlv1.Answer_Reply{Reply: v}}},
		}
	}
	for _, v := range []*controlv1.Value{jsonOf("[42]"), textOf("(43)"), jsonOf(`["many"]`), textOf(`("many")`)} {
		rule := call(a, a.messages.AddRule, &controlv1.AddRuleRequest{Rule: reply(v)}).GetRule()
		if rule == nil {
			continue
		}
		bumped, reject := a.answer(caller, caller, "bump", encoded(a, counter.String()))
		a.note("the caller is answered %q%s", bumped, reject)
		must(a, a.messages.RemoveRule, &controlv1.RemoveRuleRequest{RuleId: rule.GetRuleId()})
	}
	a.note("without a callee there is no interface")
	unnamed := reply(jsonOf("[42]"))
	unnamed.Match.Callee = ""
	call(a, a.messages.AddRule, &controlv1.AddRuleRequest{Rule: unnamed})
	a.compare("messages_answers")
}

func TestAMockReadsAndWritesJSON(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	ledger := a.fixture("ledger")
	stream, err := a.messages.Mock(a.ctx)
	if err != nil {
		t.Fatal(err)
	}
	head := &controlv1.MockHead{CanisterId: ledger.String(), Method: "record", ArgumentForm: asJSON}
	if err := stream.Send(&controlv1.MockRequest{Part: &controlv1.MockRequest_Head{Head: head}}); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	id := a.sent(ledger, ledger, "record", encoded(a, candid.NatOf(5), "for bread"))
	c := a.called(stream)
	if got := c.GetArgument().GetJson(); got != `[5,"for bread"]` {
		t.Errorf("the argument is %q", got)
	}
	a.answers(stream, &controlv1.MockAnswer{HeldId: c.GetHeldId(), Answer: &controlv1.MockAnswer_With{With: &controlv1.Answer{Answer: &controlv1.Answer_Reply{Reply: jsonOf("[7]")}}}})
	if got := a.answeredBy(id)[0]; got != string(encoded(a, candid.NatOf(7))) {
		t.Errorf("the user is answered %q", got)
	}
}
