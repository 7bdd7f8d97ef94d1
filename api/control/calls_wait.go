package control

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

// wait is how long a caller waits for an answer. The zero value has no limit, and runs rounds in manual pacing.
type wait struct {
	patience time.Duration // 0: no limit
	noWait   bool          // no longer than something happens at the present time
	noRounds bool
}

// waitOf parses how a caller waits.
func waitOf(patience *durationpb.Duration, noWait bool) (w wait, err error) {
	w.noWait = noWait
	if patience == nil {
		return w, nil
	}
	if w.patience = patience.AsDuration(); patience.CheckValid() != nil || w.patience <= 0 {
		return w, BadField.Refuse("patience", patience.AsDuration(), "it is how long to wait: more than 0 seconds")
	}
	return w, nil
}

// answer waits until a message of a subnet is answered. The error is CALL_UNANSWERED if the call continues without its
// caller.
func (w wait) answer(ctx context.Context, i *instance.Instance, subnet principal.Principal, id replica.RequestID) error {
	err := w.await(ctx, i, subnet, id)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errNothingMore) {
		return unanswered(ctx, i, id)
	}
	return err
}

// answerTo waits for the answer to a call that its caller submitted ahead of the disk. The error is as that of answer.
func (w wait) answerTo(ctx context.Context, i *instance.Instance, pending instance.Pending, id replica.RequestID) (replica.IngressAnswer, error) {
	limited, cancel := w.limit(ctx)
	defer cancel()
	a, err := pending.Answer(limited)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		if err := i.Backend().Settle(ctx); err != nil {
			return a, err // no client is told the id of a call that a crash undoes
		}
		return a, unanswered(ctx, i, id)
	case err == nil:
		err = missing(id, &a)
	}
	return a, err
}

// errNothingMore is the error of a caller that does not wait.
var errNothingMore = errors.New("nothing more happens at the present time")

func (w wait) await(ctx context.Context, i *instance.Instance, subnet principal.Principal, id replica.RequestID) error {
	ctx, cancel := w.limit(ctx)
	defer cancel()
	switch {
	case w.noWait:
		answered, err := i.AwaitPresent(ctx, !w.noRounds, func(n *replica.Network) bool {
			status := n.IngressStatus(subnet, id)
			return status == 0 || status.Terminal()
		})
		if err == nil && !answered {
			err = errNothingMore
		}
		return err
	case w.noRounds:
		return i.Backend().Await(ctx, subnet, id)
	}
	return i.AwaitAnswer(ctx, subnet, id)
}

// limit returns a context that ends with the caller's patience, and shortly before its own deadline, if it has one, so that
// the client still receives what it needs to continue.
func (w wait) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	left := w.patience
	if deadline, ok := ctx.Deadline(); ok {
		until := time.Until(deadline)
		until -= min(DeadlineSpare, until/10)
		if left == 0 || until < left {
			left = until
		}
	} else if left == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, left)
}

// unanswered returns the error for a call that continues without its caller, with what it waits for.
func unanswered(ctx context.Context, i *instance.Instance, id replica.RequestID) error {
	ctx, cancel := halfTime(ctx)
	defer cancel()
	waits, err := driver.ReadValue(ctx, i.Driver(), func(n *replica.Network) introspect.Waiting { return n.Introspect().WhyUnanswered(id) })
	switch {
	case err != nil:
		waits.Text = "a round is running" // the owner of the network did not say more in time
	case waits.Text == "":
		waits.Text = "it is about to be answered"
	}
	refused := callUnanswered.Refuse(hexOf(id), waits.Text)
	if waits.Reason != 0 {
		refused = refused.With("wait_reason", waitReasons[waits.Reason].String())
	}
	if waits.Held != 0 {
		refused = refused.With("held_id", decimal(waits.Held)).With("rule_id", decimal(waits.Rule))
	}
	return refused
}

// halfTime returns a context that ends in half of the time that is left, if there is a limit.
func halfTime(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}
