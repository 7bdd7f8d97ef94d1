package driver

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/replica"
)

// OutcallsMade returns a channel with a value when canisters have made HTTP outcalls since the last was taken. One
// reader may wait for it.
func (d *Driver) OutcallsMade() <-chan struct{} { return d.outcallsMade }

// announce signals new outcalls, if there are any.
func (d *Driver) announce() {
	made := d.network.OutcallsMade()
	if made == d.outcalls {
		return
	}
	d.outcalls = made
	select {
	case d.outcallsMade <- struct{}{}:
	default:
	}
	if d.config.Called != nil {
		d.config.Called()
	}
}

// Outcall is an HTTP outcall that waits for an answer. Its number is unique in one generation of the instance: after a
// restore, and in a fork, another may have it.
type Outcall struct {
	replica.PendingOutcall
	Generation uint64 // of the instance, when the outcall was listed
}

// Outcalls returns the HTTP outcalls that wait for an answer, by subnet and number.
func (d *Driver) Outcalls(ctx context.Context) ([]Outcall, error) {
	listed := make(chan []Outcall, 1)
	err := d.ask(ctx, func(d *Driver) {
		pending := d.network.Outcalls()
		all := make([]Outcall, len(pending))
		for i := range pending {
			all[i] = Outcall{pending[i], d.generation.number}
		}
		listed <- all
	})
	if err != nil {
		return nil, err
	}
	return <-listed, nil
}

// Answer answers the HTTP outcall that has a number now. The transforms of its canister run as queries do, in parallel
// with the network. The error is a *refusal.Refusal if the outcall is not pending, or the answer is malformed; it may
// have been answered, or have timed out, while transforms ran. It is ErrRestored if the driver was restored meanwhile.
func (d *Driver) Answer(ctx context.Context, in *replica.HTTPAnswer) error {
	return d.answerOutcall(ctx, nil, in)
}

// AnswerOf is Answer to an outcall of a generation: ErrRestored if that is not the present generation of the instance.
func (d *Driver) AnswerOf(ctx context.Context, generation uint64, in *replica.HTTPAnswer) error {
	return d.answerOutcall(ctx, &generation, in)
}

// AnswerListed is AnswerOf for an outcall that was listed: one answer for all nodes of the subnet, or one for each.
func (d *Driver) AnswerListed(ctx context.Context, o *Outcall, answers ...replica.OutcallAnswer) error {
	return d.AnswerOf(ctx, o.Generation, &replica.HTTPAnswer{Subnet: o.Subnet, Number: o.Number, Answers: answers})
}

// received is the evaluation of an answer, on the network that was present when it came.
type received struct {
	receptions []*replica.Reception
	generation uint64
	err        error
}

// answerOutcall answers an outcall of the network of a generation; nil: of the present one. It fails if the driver is
// restored between the two times that it owns the network.
func (d *Driver) answerOutcall(ctx context.Context, generation *uint64, in *replica.HTTPAnswer) error {
	got, err := d.receive(ctx, generation, in)
	if err != nil {
		return err
	}
	answer := *in
	answer.Contents = make([]replica.OutcallContent, len(got.receptions))
	for i, r := range got.receptions {
		if r.Query != nil {
			result, err := d.Query(ctx, r.Query)
			if err != nil {
				return err
			}
			r.SetResult(result)
		}
		answer.Contents[i] = r.Content
	}
	done := make(chan error, 1)
	err = d.ask(ctx, func(d *Driver) {
		if d.generation.number != got.generation {
			done <- undone(in)
		} else if refusal := d.network.Apply(&answer).Refusal; refusal != nil {
			done <- refusal
		} else {
			done <- nil
		}
	})
	if err != nil {
		return err
	}
	return <-done
}

// receive evaluates an answer.
func (d *Driver) receive(ctx context.Context, generation *uint64, in *replica.HTTPAnswer) (received, error) {
	done := make(chan received, 1)
	err := d.ask(ctx, func(d *Driver) {
		if generation != nil && d.generation.number != *generation {
			done <- received{err: undone(in)}
			return
		}
		receptions, refusal := d.network.Receive(in)
		got := received{receptions: receptions, generation: d.generation.number}
		if refusal != nil {
			got.err = refusal
		}
		done <- got
	})
	if err != nil {
		return received{}, err
	}
	got := <-done
	return got, got.err
}

// undone returns the error for an answer to an outcall of a replaced network.
func undone(in *replica.HTTPAnswer) error {
	return fmt.Errorf("HTTP outcall %d of subnet %s: %w", in.Number, in.Subnet, ErrRestored)
}
