package canisterd

import (
	"context"
	"errors"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// errNoTrace is for a call without remembered events.
var errNoTrace = errors.New("nothing is remembered of the call: no call was made, or too much has happened since")

// Trace returns a call as a tree of calls, with rounds, instructions, cycles, traps and log lines, one line for each.
// Without a call (nil) it is the newest call of a canister other than the management canister. Messages of methods that a
// compiler added, such as Motoko's asynchronous blocks, are folded into the messages around them.
func (n *Network) Trace(ctx context.Context, of *Pending) (string, error) {
	events, err := n.events(ctx)
	if err != nil {
		return "", err
	}
	var root trace.Root
	if of != nil {
		root.Request = of.id
	} else {
		root.Request = n.newest(events)
	}
	tree := trace.Build(root, events)
	if tree.Root == nil {
		return "", errNoTrace
	}
	tree.Fold()
	return trace.Text(tree, n.nameOf), nil
}

// events returns the events that the network remembers, the oldest first, without what depends on the speed of the
// computer.
func (n *Network) events(ctx context.Context) (all []replica.Event, err error) {
	reader, err := n.running.Node().Events(ctx, node.From{Beginning: true}, node.Filter{})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for {
		e, ok, err := reader.Recorded()
		if err != nil {
			return nil, err
		}
		if !ok {
			return all, ctx.Err()
		}
		e.Event.Wall = 0
		all = append(all, e.Event)
	}
}

// newest returns the newest message of a user to a canister, or to the management canister if there is no other.
func (n *Network) newest(events []replica.Event) (id replica.RequestID) {
	view := n.running.Node().View()
	for i := range events {
		e := &events[i]
		if e.Kind != replica.IngressReceived {
			continue
		}
		if module := view.Module(e.Canister); module != nil && module.Method(e.Method) != canister.NoMethod && e.Canister != principal.Management {
			id = e.Request
		}
	}
	if last, ok := trace.LastIngress(events); ok && id == (replica.RequestID{}) {
		id = last.Request
	}
	return id
}
