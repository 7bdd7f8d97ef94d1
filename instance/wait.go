package instance

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Await waits until seen is true, on the owner of the network. If clients run the rounds, it runs them while there is
// work; the pacing may change meanwhile.
func (i *Instance) Await(ctx context.Context, seen func(*replica.Network) bool) error {
	for {
		before, over := i.Pacing(), make(chan bool, 1)
		look := func(n *replica.Network) bool {
			saw := seen(n)
			if !saw && i.Pacing() == before {
				return false
			}
			over <- saw
			return true
		}
		var err error
		if before.RoundsByClients() {
			_, err = i.driver.RunRounds(ctx, i.busyUntil(look))
		} else {
			err = i.driver.Until(ctx, look)
		}
		if err != nil || <-over {
			return err
		}
	}
}

// AwaitAnswer waits until a message of a subnet is answered, and View shows it unless Await runs the rounds.
func (i *Instance) AwaitAnswer(ctx context.Context, subnet principal.Principal, id replica.RequestID) error {
	if !i.Pacing().RoundsByClients() {
		return i.backend.Await(ctx, subnet, id)
	}
	_, err := i.driver.RunRounds(ctx, i.busyUntil(func(n *replica.Network) bool {
		status := n.IngressStatus(subnet, id)
		return status == 0 || status.Terminal()
	}))
	return err
}

// busyUntil runs rounds while there is work, until seen is true.
func (i *Instance) busyUntil(seen func(*replica.Network) bool) func(*replica.Network) driver.Next {
	return func(n *replica.Network) driver.Next {
		if seen(n) {
			return driver.Stop
		}
		return i.driver.GoOrLinger()
	}
}

// AwaitHere is Await without letting time pass: if clients move the time, it returns false once nothing more can happen
// at the present time.
func (i *Instance) AwaitHere(ctx context.Context, seen func(*replica.Network) bool) (bool, error) {
	if i.Pacing().TimeByWallClock() {
		err := i.driver.Until(ctx, seen)
		return err == nil, err
	}
	return i.driveHere(ctx, seen)
}

// AwaitPresent is Await as long as something happens at the present time: it returns false once the wall clock or a
// client must come first. If clients run the rounds, it runs them only if run is true.
func (i *Instance) AwaitPresent(ctx context.Context, run bool, seen func(*replica.Network) bool) (bool, error) {
	switch pacing := i.Pacing(); {
	case pacing.RoundsByClients() && run:
		return i.driveHere(ctx, seen)
	case pacing.roundsByDriver():
		return i.untilQuiet(ctx, seen)
	}
	return driver.Ask(ctx, i.driver, seen)
}

// driveHere runs rounds at the present time until seen is true, or nothing more can happen without time.
func (i *Instance) driveHere(ctx context.Context, seen func(*replica.Network) bool) (bool, error) {
	r := i.newRun(Condition{met: func(r *run, n *replica.Network) driver.Next {
		if seen(n) {
			return r.stop(ConditionMet)
		}
		if next := r.here(n); next != driver.Stop {
			return next
		}
		return r.stop(NothingMore)
	}}, 0)
	if _, err := i.driver.RunRounds(ctx, r.next); err != nil {
		return false, err
	}
	return r.until.Reason == ConditionMet, nil
}

// untilQuiet waits until seen is true, or the driver has no work that it could do at the present time.
func (i *Instance) untilQuiet(ctx context.Context, seen func(*replica.Network) bool) (bool, error) {
	rounds, height := driver.AtMost(roundsAtOnce), uint64(0)
	over := make(chan bool, 1)
	err := i.driver.Until(ctx, func(n *replica.Network) bool {
		saw, now := seen(n), n.Activity().Height
		spent := now != height && !rounds.Take(n)
		if height = now; !saw && !spent && !i.quiet(n) {
			return false
		}
		over <- saw
		return true
	})
	if err != nil {
		return false, err
	}
	return <-over, nil
}

// quiet reports whether nothing more happens at the present time, not even the answer of an outcall by the host.
func (i *Instance) quiet(n *replica.Network) bool {
	return i.driver.Present() == driver.Stop && (n.ExternalWaits().Outcalls == 0 || i.about.Outcalls.byClients())
}
