package instance

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
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
			_, err = i.node.Drive(ctx, i.busyUntil(look))
		} else {
			err = i.node.Until(ctx, look)
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
	_, err := i.node.Drive(ctx, i.busyUntil(func(n *replica.Network) bool {
		status := n.IngressStatus(subnet, id)
		return status == 0 || status.Terminal()
	}))
	return err
}

// busyUntil runs rounds while there is work, until seen is true.
func (i *Instance) busyUntil(seen func(*replica.Network) bool) func(*replica.Network) node.Next {
	return func(n *replica.Network) node.Next {
		if seen(n) {
			return node.Stop
		}
		return i.node.GoOrLinger()
	}
}

// AwaitHere is Await without letting time pass: if clients move the time, it returns false once nothing more can happen
// at the present time.
func (i *Instance) AwaitHere(ctx context.Context, seen func(*replica.Network) bool) (bool, error) {
	if i.Pacing().TimeByWallClock() {
		err := i.node.Until(ctx, seen)
		return err == nil, err
	}
	r := i.newRun(Condition{func(r *run, n *replica.Network) node.Next {
		if seen(n) {
			return r.stop(ConditionMet)
		}
		if next := r.here(n); next != node.Stop {
			return next
		}
		return r.stop(NothingMore)
	}}, 0)
	if _, err := i.node.Drive(ctx, r.next); err != nil {
		return false, err
	}
	return r.until.Reason == ConditionMet, nil
}
