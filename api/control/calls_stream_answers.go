package control

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// expect enters calls before they are submitted, so that their answers are not missed.
func (l *callStream) expect(batch []*inflightCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range batch {
		l.waiting[f.id] = f
	}
}

func (l *callStream) forget(id replica.RequestID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, id)
}

// settled returns the answered calls, and removes them from the waiting ones. The owner of the network calls it.
func (l *callStream) settled(n *replica.Network) (all []settledCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, f := range l.waiting {
		if !f.entered {
			continue
		}
		if a, known := n.IngressAnswer(f.subnet, id); a.Status.Terminal() || !known {
			all = append(all, settledCall{f, a})
			delete(l.waiting, id)
		}
	}
	if l.forgets {
		forgetAll(n, all)
	}
	return all
}

// forgetAll makes the network forget calls whose answers were read.
func forgetAll(n *replica.Network, all []settledCall) {
	of := make(map[principal.Principal][]replica.RequestID)
	for i := range all {
		of[all[i].subnet] = append(of[all[i].subnet], all[i].id)
	}
	for subnet, ids := range of { // separately: the order is not visible
		n.Apply(&replica.ForgetAnswers{Subnet: subnet, Requests: ids})
	}
}

// updated makes a call that has its own goroutine.
func (l *callStream) updated(ctx context.Context, o *preparedCall) (*controlv1.Outcome, error) {
	outcome, err := o.update(ctx)
	if err != nil || !l.forgets || len(outcome.GetRequestId()) == 0 {
		return outcome, err
	}
	id := replica.RequestID(outcome.GetRequestId())
	return outcome, l.instance.Driver().Do(ctx, func(n *replica.Network) {
		if subnet, ok := n.HostOf(o.effective); ok {
			n.Apply(&replica.ForgetAnswers{Subnet: subnet, Requests: []replica.RequestID{id}})
		}
	})
}

// sweep sends the answers that are known, and leaves the rest to collect.
func (l *callStream) sweep(ctx context.Context) error {
	settled, err := driver.Ask(ctx, l.instance.Driver(), l.settled)
	if err != nil {
		return err
	}
	if err := l.sendOutcomes(settled); err != nil {
		return err
	}
	if l.idle() {
		return nil
	}
	select {
	case l.left <- struct{}{}:
	default:
	}
	return nil
}

func (l *callStream) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting) == 0
}

// collect sends later answers until the stream ends.
func (l *callStream) collect(ctx context.Context) error {
	for {
		select {
		case <-l.left:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		for !l.idle() {
			all, err := l.next(ctx)
			if err == nil {
				err = l.sendOutcomes(all)
			}
			if err != nil {
				l.end(err)
				return err
			}
		}
	}
}

// next waits until some calls are answered. With manual pacing it runs rounds until then.
func (l *callStream) next(ctx context.Context) ([]settledCall, error) {
	settled := make(chan []settledCall, 1)
	err := l.instance.Await(ctx, func(n *replica.Network) bool {
		all := l.settled(n)
		if len(all) == 0 && !l.idle() {
			return false
		}
		settled <- all
		return true
	})
	if err != nil {
		return nil, err
	}
	return <-settled, nil
}

// sendOutcomes sends the outcomes of calls.
func (l *callStream) sendOutcomes(all []settledCall) error {
	for i := range all {
		c := &all[i]
		out := &controlv1.StreamResponse{Tag: c.tag}
		switch c.answer.Status {
		case 0:
			out.Failure = failureOf(driver.ErrRestored)
		case replica.Done:
			out.Failure = failureOf(answerForgotten.Refuse(hexOf(c.id)))
		default:
			out.Outcome = outcomeOf(c.id, &c.answer, c.form, c.described)
		}
		if err := l.answer(c.bytes, out); err != nil {
			return err
		}
	}
	return nil
}

// answer sends an answer and frees the call's place and memory.
func (l *callStream) answer(bytes int64, out *controlv1.StreamResponse) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	defer func() { <-l.room }()
	if l.over {
		return nil
	}
	l.memory.Release(bytes)
	select {
	case l.freed <- struct{}{}:
	default:
	}
	return l.stream.Send(out)
}

// stopSending ends sending: the stream must not be used after its RPC.
func (l *callStream) stopSending() {
	l.sending.Lock()
	defer l.sending.Unlock()
	l.over = true
	l.memory.Close()
}

// drain waits until every call is answered, or answers stop coming.
func (l *callStream) drain(ctx context.Context, collected <-chan error) error {
	for range MaxUnderWay {
		select {
		case l.room <- struct{}{}:
		case err := <-collected:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
