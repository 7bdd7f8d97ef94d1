package driver

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
)

// Submit submits an ingress message. The error is a *refusal.Refusal if the message is malformed or the driver
// overloaded, a *budget.Exceeded if memory for it is lacking, the context's error, or ErrClosed.
func (d *Driver) Submit(ctx context.Context, in *replica.Ingress) (replica.Receipt, error) {
	receipt, err := d.SubmitAhead(ctx, in, nil)
	if err == nil {
		err = d.Settle(ctx)
	}
	return receipt, err
}

// SubmitAhead is Submit for callers that do not report the receipt yet: a crash may undo the message until Await or
// Settle returns. clock is the time at which the message arrives; nil: the network's present time.
func (d *Driver) SubmitAhead(ctx context.Context, in *replica.Ingress, clock Clock) (replica.Receipt, error) {
	return d.submitListed(ctx, in, clock, nil)
}

// submitListed submits an ingress message. If it is accepted, its waiter is listed in the same turn of the owner; nil: the
// caller does not wait for the answer.
func (d *Driver) submitListed(ctx context.Context, in *replica.Ingress, clock Clock, w *waiter) (replica.Receipt, error) {
	if replica.BringsModule(in) {
		if receipt, enters, err := d.prepareModule(ctx, in, clock); !enters {
			return receipt, err
		}
	}
	reserved, err := d.reserve(in)
	if err != nil {
		return replica.Receipt{}, err
	}
	defer d.config.Memory.Release(reserved)
	var slot *querySlot
	for {
		result, inspection, err := d.submit(ctx, in, clock, w)
		switch {
		case err != nil:
			return replica.Receipt{}, err
		case inspection == nil && result.Refusal != nil:
			return replica.Receipt{}, result.Refusal
		case inspection == nil:
			return replica.Receipt{Reject: result.Reject, Known: result.Known}, nil
		}
		if slot == nil {
			slot = d.slotFor(ctx, in.Receiver, in.Sender)
		}
		reject, err := d.inspect(slot, inspection)
		switch {
		case err == errEvicted && slot.evicted():
			continue
		case reject != nil || err != nil:
			return replica.Receipt{Reject: reject}, err
		}
		copied := *in
		copied.Inspected = true
		in = &copied
	}
}

// submit applies a message, or returns the canister's inspection, which must run first.
func (d *Driver) submit(ctx context.Context, in *replica.Ingress, clock Clock, w *waiter) (result replica.Result, inspection *replica.Inspection, err error) {
	s := d.recycled.submission()
	s.in, s.clock, s.waiter = in, clock, w
	if done, err := d.inline(s.do, s.then); done {
		result, inspection = s.result, s.inspection
		d.recycled.putSubmission(s)
		return result, inspection, err
	}
	r := d.recycled.request()
	r.do, r.then = s.do, s.then
	select {
	case d.box() <- r:
	case <-d.ended:
		return result, nil, d.stopped()
	default:
		return result, nil, refusal.New(refusal.Unavailable, "the instance is overloaded: %d requests wait, try again later", MaxInbox)
	}
	if err := d.wait(ctx, r); err != nil {
		return result, nil, err // the owner may still apply it: it is not recycled
	}
	result, inspection = s.result, s.inspection
	d.recycled.putSubmission(s)
	return result, inspection, nil
}

// submission is a message on its way to the owner, and its outcome. It is recycled, with its functions, since most
// messages are submitted one at a time.
type submission struct {
	in         *replica.Ingress
	clock      Clock
	waiter     *waiter // for the answer; nil: none
	result     replica.Result
	inspection *replica.Inspection
	do, then   func(*Driver) // apply, await
}

func (s *submission) apply(d *Driver) {
	d.moveTo(s.clock)
	if !s.in.Inspected {
		if s.inspection = d.network.Inspect(s.in); s.inspection != nil {
			d.clockOnly = true
			return
		}
	}
	s.result = d.network.Apply(s.in)
	if len(s.in.Arg) >= largeArgument {
		d.account() // others wait for the end of the round
	}
}

// await makes the waiter wait for the answer if the message was accepted, unless a round of the turn has answered it.
func (s *submission) await(d *Driver) {
	w := s.waiter
	if w == nil || s.inspection != nil || !s.result.Accepted() {
		return
	}
	var shown bool
	if w.subnet, shown = d.network.ShownAnswer(s.in, &w.answer); shown {
		w.found = answered
	} else {
		w.list(d)
	}
}

// Pending is an accepted message, with its caller's place among those who wait for the answer.
type Pending struct {
	Subnet principal.Principal // of the message
	driver *Driver
	waiter *waiter
}

// SubmitAwaited is SubmitAhead for callers that then wait for the answer: they are listed for it in the turn that submits
// the message. If the message is accepted, Pending.Answer must be called once.
func (d *Driver) SubmitAwaited(ctx context.Context, in *replica.Ingress, clock Clock) (replica.Receipt, Pending, error) {
	w := d.recycled.waiter()
	w.id, w.ctx, w.reads = in.ID, ctx, true
	receipt, err := d.submitListed(ctx, in, clock, w)
	switch {
	case err != nil:
		if ctx.Err() != nil {
			d.strike(w) // the owner may still submit the message
		}
		return receipt, Pending{}, err
	case receipt != replica.Receipt{}:
		d.recycled.putWaiter(w)
		return receipt, Pending{}, nil
	}
	return receipt, Pending{w.subnet, d, w}, nil
}

// Answer returns the answer to the message when it is there and View shows it, with the errors of Driver.Await. ctx ends no
// later than that of SubmitAwaited.
func (p Pending) Answer(ctx context.Context) (replica.IngressAnswer, error) {
	if d, w := p.driver, p.waiter; w.found == answered {
		answer := w.answer
		d.recycled.putWaiter(w)
		return answer, d.settleView(ctx)
	}
	return p.driver.awaitSignal(ctx, p.waiter)
}
