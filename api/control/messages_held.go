package control

import (
	"context"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

// nothingHeld takes the instance.
var nothingHeld = reason("NOTHING_HELD", codes.FailedPrecondition,
	"nothing more can happen in instance %q before time passes, and no message is held", "instance").
	advise("Messages.ListFutures lists the open calls, and Clock.AdvanceTime advances the time")

// ListHeld lists the messages that rules hold.
func (s *messages) ListHeld(ctx context.Context, in *controlv1.ListHeldRequest) (*controlv1.ListHeldResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	page, err := readPage(in.GetPage(), "")
	if err != nil {
		return nil, err
	}
	all, err := driver.ReadValue(ctx, i.Driver(), func(n *replica.Network) []introspect.HeldMessage {
		return n.Introspect().Held(in.GetRuleId(), page.After.ID, page.Limit+1)
	})
	if err != nil {
		return nil, err
	}
	shown := within(min(page.Limit, len(all)), func(at int) int { return len(all[at].Argument) + len(all[at].Reply) })
	out := &controlv1.ListHeldResponse{}
	for at := range all[:shown] {
		out.Held = append(out.Held, shownHeld(&all[at]))
	}
	if shown < len(all) {
		out.NextPageToken = pageToken(&introspect.Cursor{ID: all[shown-1].ID})
	}
	return out, nil
}

func shownHeld(h *introspect.HeldMessage) *controlv1.Held {
	shown := &controlv1.Held{
		HeldId: h.ID, RuleId: h.Rule, Kind: messageKinds[h.Kind], Caller: h.Caller.String(), Callee: h.Callee.String(), Method: h.Method,
		Argument: h.Argument, Reply: h.Reply, Reject: shownReject(h.Reject), Cycles: h.Cycles.String(), Since: stamp(h.Since),
		Deadline: moment(h.Deadline), SubnetId: h.Subnet.String(), Mock: h.Mock, Release: moment(h.Release), Behind: h.Behind,
	}
	if h.Kind == replica.KindIngress {
		shown.RequestId = h.Request[:]
	} else {
		shown.Call = shownCall(introspect.CallRef{Subnet: h.Subnet, Call: h.Call})
	}
	return shown
}

// AwaitHeld waits until a rule holds a message.
func (s *messages) AwaitHeld(ctx context.Context, in *controlv1.AwaitHeldRequest) (*controlv1.AwaitHeldResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.until(ctx)
	defer cancel()
	w := &heldWait{rule: in.GetRuleId(), after: in.GetAfter()}
	_, err = i.AwaitHere(ctx, w.seen)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case w.noRule:
		return nil, ruleUnknown.Refuse("there is no rule " + decimal(w.rule))
	case len(w.found) == 0:
		return nil, nothingHeld.Refuse(i.Name())
	}
	return &controlv1.AwaitHeldResponse{Held: shownHeld(&w.found[0])}, nil
}

// heldWait is a caller that waits for a held message.
type heldWait struct {
	rule, after uint64
	found       []introspect.HeldMessage
	noRule      bool
}

// seen reports whether the wait is over: a message is held, or none will be because the rule is gone.
func (w *heldWait) seen(n *replica.Network) bool {
	if w.found = n.Introspect().Held(w.rule, w.after, 1); len(w.found) > 0 {
		return true
	}
	w.noRule = w.rule != 0
	for _, r := range n.Rules() {
		w.noRule = w.noRule && r.ID != w.rule
	}
	return w.noRule
}

// Release lets a held message continue.
func (s *messages) Release(ctx context.Context, in *controlv1.ReleaseRequest) (*controlv1.ReleaseResponse, error) {
	_, err := s.apply(ctx, in.GetInstance(), replica.ReleaseHeld{ID: in.GetHeldId()}, refusals{refusal.NotFound: heldUnknown, refusal.Conflict: heldOrder})
	return &controlv1.ReleaseResponse{}, err
}

// Drop loses a held message.
func (s *messages) Drop(ctx context.Context, in *controlv1.DropRequest) (*controlv1.DropResponse, error) {
	_, err := s.apply(ctx, in.GetInstance(), replica.DropHeld{ID: in.GetHeldId()}, refusals{refusal.NotFound: heldUnknown, refusal.Conflict: guaranteed})
	return &controlv1.DropResponse{}, err
}

// Settle answers a call in place of its callee.
func (s *messages) Settle(ctx context.Context, in *controlv1.SettleRequest) (*controlv1.SettleResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	switch which := in.GetWhich().(type) {
	case *controlv1.SettleRequest_HeldId:
		return &controlv1.SettleResponse{}, s.settleHeld(ctx, i, which.HeldId, in.GetAnswer())
	case *controlv1.SettleRequest_Call:
		return &controlv1.SettleResponse{}, s.settleCall(ctx, i, which.Call, in.GetAnswer())
	}
	return nil, MissingField.Refuse("which", "held_id, or a call of ListFutures")
}

func (s *messages) settleHeld(ctx context.Context, i *instance.Instance, id uint64, in *controlv1.Answer) error {
	of, err := driver.ReadValue(ctx, i.Driver(), func(n *replica.Network) answered {
		h, ok := n.Introspect().HeldMessage(id)
		if !ok {
			return answered{}
		}
		return answered{&h.Callee, h.Method}
	})
	if err != nil {
		return err
	}
	answer, err := s.readAnswer(ctx, i, "answer", in, of)
	if err != nil {
		return err
	}
	return settle(ctx, i, id, answer)
}

func settle(ctx context.Context, i *instance.Instance, id uint64, answer replica.Settlement) error {
	_, err := applyTo(ctx, i, &replica.SettleHeld{ID: id, Answer: answer}, refusals{
		refusal.NotFound: heldUnknown, refusal.Invalid: badAnswer, refusal.Conflict: guaranteed,
	})
	return err
}

func (s *messages) settleCall(ctx context.Context, i *instance.Instance, call *controlv1.CallRef, in *controlv1.Answer) error {
	subnet, err := readPrincipal("call.subnet_id", call.GetSubnetId())
	if err != nil {
		return err
	}
	of, err := driver.ReadValue(ctx, i.Driver(), func(n *replica.Network) answered {
		if callee, method, ok := n.Called(*subnet, intercanister.CallID(call.GetCallId())); ok {
			return answered{&callee, method}
		}
		return answered{}
	})
	if err != nil {
		return err
	}
	if of.callee == nil {
		return callUnknown.Refuse("subnet " + subnet.String() + " has no call " + decimal(call.GetCallId()) + " that waits: it is over, or never was")
	}
	answer, err := s.readAnswer(ctx, i, "answer", in, of)
	if err != nil {
		return err
	}
	_, err = applyTo(ctx, i, &replica.SettleCall{Subnet: *subnet, Call: intercanister.CallID(call.GetCallId()), Answer: answer}, refusals{
		refusal.NotFound: callUnknown, refusal.Invalid: badAnswer, refusal.Conflict: callTooFar,
	})
	return err
}
