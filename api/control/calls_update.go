package control

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Update makes an update call and waits for its answer.
func (s *calls) Update(ctx context.Context, in *controlv1.UpdateRequest) (*controlv1.UpdateResponse, error) {
	o, err := s.prepareCallTo(ctx, in.GetInstance(), in.GetCall())
	if err != nil {
		return nil, err
	}
	if o.wait, err = waitOf(in.GetPatience(), in.GetNoWait()); err != nil {
		return nil, err
	}
	outcome, err := o.update(ctx)
	if err != nil {
		return nil, err
	}
	return &controlv1.UpdateResponse{Outcome: outcome}, nil
}

// update submits a call and waits for its outcome.
func (o *preparedCall) update(ctx context.Context) (*controlv1.Outcome, error) {
	id, a, reject, err := o.call(ctx)
	switch {
	case err != nil:
		return nil, err
	case reject != nil:
		return rejectedAtIngress(o, reject), nil
	}
	return outcomeOf(id, &a, o.form, o.described), nil
}

// call submits a call under a fresh id and waits for its answer. The reject means that the message did not enter.
func (o *preparedCall) call(ctx context.Context) (id replica.RequestID, a replica.IngressAnswer, reject *intercanister.Reject, err error) {
	if !o.wait.noWait && !o.instance.Pacing().RoundsByClients() {
		return o.callAtOnce(ctx)
	}
	id, reject, err = o.submit(ctx)
	if err == nil && reject == nil {
		a, err = o.await(ctx, id)
	}
	return id, a, reject, err
}

// callAtOnce is call where others run the rounds: one turn of the network's owner submits the call and lists its caller
// for the answer.
func (o *preparedCall) callAtOnce(ctx context.Context) (id replica.RequestID, a replica.IngressAnswer, reject *intercanister.Reject, err error) {
	in, err := o.ingress(ctx)
	if err != nil {
		return id, a, nil, err
	}
	backend := o.instance.Backend()
	receipt, pending, err := backend.SubmitAwaited(ctx, in)
	for err == nil && receipt.Known != 0 {
		in.ID = o.freshID()
		receipt, pending, err = backend.SubmitAwaited(ctx, in)
	}
	switch {
	case err != nil:
		return in.ID, a, nil, err
	case receipt.Reject != nil:
		return in.ID, a, receipt.Reject, backend.Settle(ctx)
	}
	a, err = o.wait.answerTo(ctx, o.instance, pending, in.ID)
	if err == nil {
		o.instance.Driver().Delivered(pending.Subnet, in.ID, len(a.Reply))
	}
	return in.ID, a, nil, forgotten(err)
}

// Submit makes an update call and returns at once.
func (s *calls) Submit(ctx context.Context, in *controlv1.SubmitRequest) (*controlv1.SubmitResponse, error) {
	o, err := s.prepareCallTo(ctx, in.GetInstance(), in.GetCall())
	if err != nil {
		return nil, err
	}
	id, reject, err := o.submit(ctx)
	switch {
	case err != nil:
		return nil, err
	case reject != nil:
		return &controlv1.SubmitResponse{Reject: rejectOf(reject, nil, o.receiver)}, nil
	}
	return &controlv1.SubmitResponse{RequestId: id[:]}, nil
}

// Await waits for the answer of a submitted call.
func (s *calls) Await(ctx context.Context, in *controlv1.AwaitRequest) (*controlv1.AwaitResponse, error) {
	instance, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	var id replica.RequestID
	if len(in.GetRequestId()) != len(id) {
		return nil, BadField.Refuse("request_id", hex.EncodeToString(in.GetRequestId()), "a request id has 32 bytes")
	}
	copy(id[:], in.GetRequestId())
	if err := checkForm("reply_form", in.GetReplyForm()); err != nil {
		return nil, err
	}
	wait, err := waitOf(in.GetPatience(), in.GetNoWait())
	if err != nil {
		return nil, err
	}
	subnet, receiver, err := locate(ctx, instance, id)
	if err != nil {
		return nil, err
	}
	wait.noRounds = !in.GetRunRounds()
	if err := wait.answer(ctx, instance, subnet, id); err != nil {
		return nil, err
	}
	return s.answered(ctx, instance, subnet, receiver, id, in.GetReplyForm())
}

// locate returns the subnet and the receiver of a known message, before the next view shows them.
func locate(ctx context.Context, i *instance.Instance, id replica.RequestID) (subnet, receiver principal.Principal, err error) {
	type place struct {
		subnet, receiver principal.Principal
		known            bool
	}
	found, err := driver.ReadValue(ctx, i.Driver(), func(n *replica.Network) (p place) {
		for i := range n.View().Subnets {
			if at := n.View().Subnets[i].ID; n.IngressStatus(at, id) != 0 {
				a, _ := n.IngressAnswer(at, id)
				return place{at, a.Receiver, true}
			}
		}
		return p
	})
	if err == nil && !found.known {
		err = requestUnknown.Refuse(driver.ErrUnknown)
	}
	return found.subnet, found.receiver, err
}

// answered returns the outcome of a message that is answered.
func (s *calls) answered(ctx context.Context, i *instance.Instance, subnet, receiver principal.Principal, id replica.RequestID, form controlv1.Form) (*controlv1.AwaitResponse, error) {
	a, err := answerOf(ctx, i, subnet, id)
	if err != nil {
		return nil, err
	}
	described, err := s.describedAs(ctx, i, receiver, a.Method, form)
	if err != nil {
		return nil, err
	}
	return &controlv1.AwaitResponse{Outcome: outcomeOf(id, &a, form, described)}, nil
}

// submit submits a call under a fresh id. The reject means that the message did not enter.
func (o *preparedCall) submit(ctx context.Context) (replica.RequestID, *intercanister.Reject, error) {
	in, err := o.ingress(ctx)
	if err != nil {
		return replica.RequestID{}, nil, err
	}
	for {
		receipt, err := o.instance.Backend().Submit(ctx, in)
		if err != nil || receipt.Known == 0 {
			return in.ID, receipt.Reject, err
		}
		in.ID = o.freshID()
	}
}

func (o *preparedCall) freshID() replica.RequestID {
	return o.instance.Driver().FreshID(o.sender, o.receiver, o.method)
}

// ingress returns the message of a call.
func (o *preparedCall) ingress(ctx context.Context) (*api.Ingress, error) {
	now, err := o.instance.Now(ctx)
	if err != nil {
		return nil, err
	}
	return &api.Ingress{
		ID: o.freshID(), Sender: o.sender, Receiver: o.receiver, Effective: o.effective, Method: o.method, Arg: o.arg,
		Expiry: now + replica.MaxIngressTTL, Size: replica.EnvelopeBytes + len(o.method) + len(o.arg), AnySize: o.anySize,
	}, nil
}

// await waits for the answer of a call; with manual pacing it runs rounds until then.
func (o *preparedCall) await(ctx context.Context, id replica.RequestID) (replica.IngressAnswer, error) {
	subnet, a, err := o.answer(ctx, id)
	if err != nil || a.Status.Terminal() {
		return a, forgotten(err)
	}
	if err := o.wait.answer(ctx, o.instance, subnet, id); err != nil {
		return replica.IngressAnswer{}, err
	}
	a, err = answerOf(ctx, o.instance, subnet, id)
	return a, forgotten(err)
}

// forgotten returns the error of an accepted call: if it is unknown now, the instance was restored to an earlier state.
func forgotten(err error) error {
	if errors.Is(err, driver.ErrUnknown) {
		return driver.ErrRestored
	}
	return err
}

// answer returns the present state of a call, and its subnet.
func (o *preparedCall) answer(ctx context.Context, id replica.RequestID) (subnet principal.Principal, a replica.IngressAnswer, err error) {
	return lookUp(ctx, o.instance, id, func(n *replica.Network) principal.Principal {
		subnet, _ := n.HostOf(o.effective)
		return subnet
	})
}

// answerOf returns the present state of a message of a subnet. The error is for an unknown or forgotten message.
func answerOf(ctx context.Context, i *instance.Instance, subnet principal.Principal, id replica.RequestID) (replica.IngressAnswer, error) {
	_, a, err := lookUp(ctx, i, id, func(*replica.Network) principal.Principal { return subnet })
	return a, err
}

// lookUp is answerOf for a subnet that the owner of the network finds. It returns the subnet too.
func lookUp(ctx context.Context, i *instance.Instance, id replica.RequestID, host func(*replica.Network) principal.Principal) (principal.Principal, replica.IngressAnswer, error) {
	type message struct {
		subnet principal.Principal
		replica.IngressAnswer
	}
	m, err := driver.ReadValue(ctx, i.Driver(), func(n *replica.Network) message {
		subnet := host(n)
		a, _ := n.IngressAnswer(subnet, id)
		i.Driver().Delivered(subnet, id, len(a.Reply))
		return message{subnet, a}
	})
	if err == nil {
		err = missing(id, &m.IngressAnswer)
	}
	return m.subnet, m.IngressAnswer, err
}

// missing returns the error for a message that is unknown or forgotten.
func missing(id replica.RequestID, a *replica.IngressAnswer) error {
	switch a.Status {
	case 0:
		return driver.ErrUnknown
	case replica.Done:
		return answerForgotten.Refuse(hexOf(id))
	}
	return nil
}

// hexOf formats a request id.
func hexOf(id replica.RequestID) string { return hex.EncodeToString(id[:]) }
