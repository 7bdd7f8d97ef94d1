package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

// mock is one stream of Mock: two rules, for calls of canisters and of users, whose messages go to the client, which
// answers them.
type mock struct {
	service  *messages
	instance *instance.Instance
	head     *controlv1.MockHead
	rules    [2]uint64
	after    uint64 // the last message sent to the client

	ended   atomic.Bool
	sending sync.Mutex // held during a send on stream
	stream  grpc.BidiStreamingServer[controlv1.MockRequest, controlv1.MockResponse]
}

// mockedAtOnce is how many calls a mock takes from the network at once.
const mockedAtOnce = 64

// Mock answers calls of a method in place of its canister.
func (s *messages) Mock(stream grpc.BidiStreamingServer[controlv1.MockRequest, controlv1.MockResponse]) error {
	ctx, cancel := s.until(stream.Context())
	defer cancel()
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	m := &mock{service: s, head: first.GetHead(), stream: stream}
	if m.head == nil {
		return MissingField.Refuse("head", "the first message says what is mocked")
	}
	if m.instance, err = s.instance(m.head.GetInstance()); err != nil {
		return err
	}
	if _, ok := controlv1.Form_name[int32(m.head.GetArgumentForm())]; !ok {
		return BadField.Refuse("head.argument_form", m.head.GetArgumentForm(), "expected one of Form")
	}
	defer m.end(context.WithoutCancel(ctx))
	if err := m.begin(ctx); err != nil {
		return err
	}
	calls, answers := guarded(func() error { return m.calls(ctx) }), guarded(func() error { return m.answers(ctx) })
	select {
	case err = <-calls:
	case err = <-answers: // nil if the client has closed its side
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// begin makes the rules and confirms them.
func (m *mock) begin(ctx context.Context) error {
	callee, err := readPrincipal("head.canister_id", m.head.GetCanisterId())
	if err != nil {
		return err
	}
	for at, kind := range []replica.MessageKind{replica.KindRequest, replica.KindIngress} {
		result, err := addRule(ctx, m.instance, &replica.Rule{
			Match: replica.Match{Kind: kind, Callee: callee, Method: m.head.GetMethod()}, Action: replica.Action{Kind: replica.ActMock}, Note: "mock",
		})
		if err != nil {
			return err
		}
		m.rules[at] = result.Rule
	}
	return m.send(&controlv1.MockResponse{Part: &controlv1.MockResponse_Ready{Ready: true}})
}

func (m *mock) send(out *controlv1.MockResponse) error {
	m.sending.Lock()
	defer m.sending.Unlock()
	if m.ended.Load() {
		return context.Canceled
	}
	return m.stream.Send(out)
}

// held returns messages for this mock after a message.
func (m *mock) held(n *replica.Network, after uint64, limit int) (all []introspect.HeldMessage) {
	for _, rule := range m.rules {
		if rule != 0 {
			all = append(all, n.Introspect().Held(rule, after, limit)...)
		}
	}
	return all
}

// calls sends calls to the client until the stream ends.
func (m *mock) calls(ctx context.Context) error {
	for {
		found, err := driver.Await(ctx, m.instance.Driver(), func(n *replica.Network) ([]introspect.HeldMessage, bool) {
			all := m.held(n, m.after, mockedAtOnce)
			return all, len(all) > 0
		})
		if err != nil {
			return err
		}
		for _, h := range inOrder(found) {
			m.after = h.ID
			if err := m.call(ctx, h); err != nil {
				return err
			}
		}
	}
}

func (m *mock) call(ctx context.Context, h *introspect.HeldMessage) error {
	call := &controlv1.MockedCall{
		HeldId: h.ID, CanisterId: h.Callee.String(), Caller: h.Caller.String(), Method: h.Method, Cycles: h.Cycles.String(), Deadline: moment(h.Deadline),
		Argument: m.service.shownArgument(ctx, m.instance, h, m.head.GetArgumentForm()),
	}
	if h.Kind == replica.KindIngress {
		call.RequestId = h.Request[:]
	}
	return m.send(&controlv1.MockResponse{Part: &controlv1.MockResponse_Call{Call: call}})
}

// answers receives the client's answers, until it closes its side or breaks off.
func (m *mock) answers(ctx context.Context) error {
	for {
		in, err := m.stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case in.GetAnswer() == nil:
			return MissingField.Refuse("answer", "only the first message is a head")
		}
		if err := m.answer(ctx, in.GetAnswer()); err != nil {
			return err
		}
	}
}

func (m *mock) answer(ctx context.Context, in *controlv1.MockAnswer) error {
	id := in.GetHeldId()
	h, err := driver.Ask(ctx, m.instance.Driver(), func(n *replica.Network) *introspect.HeldMessage {
		if h, ok := n.Introspect().HeldMessage(id); ok && (h.Rule == m.rules[0] || h.Rule == m.rules[1]) {
			return &h
		}
		return nil
	})
	if err != nil {
		return err
	}
	if h == nil {
		return m.gone(id)
	}
	switch does := in.GetAnswer().(type) {
	case *controlv1.MockAnswer_Pass:
		if !does.Pass {
			return BadField.Refuse("answer.pass", false, "set it to true, or give an answer")
		}
		_, err = applyTo(ctx, m.instance, replica.ReleaseHeld{ID: id}, nil)
	case *controlv1.MockAnswer_With:
		var answer replica.Settlement
		if answer, err = m.service.readAnswer(ctx, m.instance, "answer.with", does.With, answered{&h.Callee, h.Method}); err == nil {
			err = settle(ctx, m.instance, id, answer)
		}
	default:
		return MissingField.Refuse("answer", "with, or pass")
	}
	if refused, ok := errors.AsType[*Error](err); ok && refused.Reason == heldUnknown {
		return m.gone(id)
	}
	return err
}

// gone reports a late answer to the client, which cannot know how far time has moved.
func (m *mock) gone(id uint64) error {
	return m.send(&controlv1.MockResponse{Part: &controlv1.MockResponse_Gone{Gone: &controlv1.MockGone{HeldId: id}}})
}

// end gives the method back to its canister and rejects unanswered calls.
func (m *mock) end(ctx context.Context) {
	m.ended.Store(true)
	text := fmt.Sprintf("the mock of method %q of canister %s has ended before it answered", m.head.GetMethod(), m.head.GetCanisterId())
	reject := &intercanister.Reject{Code: intercanister.SysTransient, Text: text}
	// If the instance has ended there is nothing to give back.
	_ = m.instance.Driver().Do(ctx, func(n *replica.Network) {
		for _, rule := range m.rules {
			if rule != 0 {
				n.Apply(replica.RemoveRule{ID: rule})
			}
		}
		for {
			left := m.held(n, 0, mockedAtOnce)
			if len(left) == 0 {
				return
			}
			for i := range left {
				n.Apply(&replica.SettleHeld{ID: left[i].ID, Answer: replica.Settlement{Reject: reject}})
			}
		}
	})
}

// inOrder returns messages ordered by id.
func inOrder(all []introspect.HeldMessage) (ordered []*introspect.HeldMessage) {
	for i := range all {
		ordered = append(ordered, &all[i])
	}
	slices.SortFunc(ordered, func(a, b *introspect.HeldMessage) int { return cmp.Compare(a.ID, b.ID) })
	return ordered
}
