package canisterd

import (
	"context"
	"fmt"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
	"github.com/canisterd/canisterd/timers"
)

// look returns what a function reads in the network between two rounds.
func look[R any](ctx context.Context, n *Network, see func(*replica.Network) R) (R, error) {
	return instance.Look(ctx, n.running.Instance, see)
}

// apply gives the network an input. The error is a *Refusal if it was not accepted.
func (n *Network) apply(ctx context.Context, in replica.Input) error {
	_, err := n.applied(ctx, in)
	return err
}

func (n *Network) applied(ctx context.Context, in replica.Input) (replica.Result, error) {
	result, err := n.running.Node().Apply(ctx, in)
	if err == nil && result.Refusal != nil {
		err = result.Refusal
	}
	return result, err
}

// Now returns the time of the network.
func (n *Network) Now(ctx context.Context) (time.Time, error) {
	at, err := n.running.Now(ctx)
	return stamp(at), err
}

// Advance lets time pass naturally: each timer on the way fires when it is due, and its consequences run at their own
// time.
func (n *Network) Advance(ctx context.Context, by time.Duration) error {
	if by <= 0 {
		return fmt.Errorf("invalid duration %s: expected a positive one, because time never goes back", by)
	}
	_, err := n.running.Advance(ctx, instance.Advance{By: by})
	return err
}

// AdvanceTo is [Network.Advance] up to a time, which must not have passed.
func (n *Network) AdvanceTo(ctx context.Context, at time.Time) error {
	now, err := n.Now(ctx)
	if err != nil {
		return err
	}
	if !at.After(now) {
		return fmt.Errorf("invalid time %s: expected one after %s, because time never goes back", at.UTC().Format(time.RFC3339Nano), now.Format(time.RFC3339Nano))
	}
	return n.Advance(ctx, at.Sub(now))
}

// AdvanceToTimer is [Network.Advance] up to the next timer of a canister. The error is a *[Refusal] if no timer is set.
func (n *Network) AdvanceToTimer(ctx context.Context) error {
	at, err := n.running.Time(ctx)
	switch {
	case err != nil:
		return err
	case at.NextTimer == 0:
		return refusal.New(refusal.Conflict, "no canister has a timer set: time passes with Advance")
	}
	_, err = n.running.Advance(ctx, instance.Advance{})
	return err
}

// Settle runs rounds until no work is left at the present time.
func (n *Network) Settle(ctx context.Context) error {
	_, err := n.running.RunUntil(ctx, instance.Idle(), 0)
	return err
}

// Timer is a global timer that a canister has set.
type Timer struct {
	Canister principal.Principal
	Due      time.Time
}

// Timers returns the timers that canisters have set, the next one first.
func (n *Network) Timers(ctx context.Context) ([]Timer, error) {
	return look(ctx, n, func(net *replica.Network) (all []Timer) {
		page := introspect.Page{}
		for {
			some, next := net.Introspect().Timers(page)
			for _, t := range some {
				if t.Kind == timers.GlobalTimer {
					all = append(all, Timer{t.Canister, stamp(t.Due)})
				}
			}
			if next == nil {
				return all
			}
			page.After = *next
		}
	})
}
