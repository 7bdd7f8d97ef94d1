package node

import (
	"context"

	"github.com/canisterd/canisterd/replica"
)

// Rest says how long a node without requests can be left alone.
type Rest struct {
	Due       uint64 // ns: something happens automatically then; 0 for never
	Heartbeat bool   // a canister has a heartbeat: each round executes something
}

// Tick moves the network's time to the time of a clock, which is read when it is the node's turn, and runs a round if
// something is due or, if beat is set, a canister has a heartbeat. Config.Active is called again for the next thing
// that happens.
func (n *Node) Tick(ctx context.Context, clock func() uint64, beat bool) (rest Rest, err error) {
	done := make(chan Rest, 1)
	err = n.readUnsettled(ctx, func(n *Node) {
		n.active.Store(false)
		n.network.Apply(replica.AdvanceTo(clock()))
		if activity := n.network.Activity(); n.mode == Auto && n.ready() && (activity.HasRunnableWork || beat && activity.Heartbeat) {
			n.round()
		}
		activity := n.network.Activity()
		done <- Rest{Due: activity.NextDue, Heartbeat: activity.Heartbeat}
	})
	if err != nil {
		return rest, err
	}
	return <-done, nil
}

// AdvanceClock moves the network's time to the time of a clock, which is read on the goroutine of the node; false: the
// clock stands still. The journal records the new time with the next event: until then a crash may undo it.
func (n *Node) AdvanceClock(ctx context.Context, clock func() (time uint64, moves bool)) error {
	return n.askUnsettled(ctx, func(n *Node) {
		n.clockOnly = true
		if time, moves := clock(); moves {
			n.network.Apply(replica.AdvanceTo(time))
		}
	})
}

// reportActivity calls Config.Active at the first thing that happens after a tick.
func (n *Node) reportActivity() {
	if n.config.Active != nil && !n.active.Load() && !n.active.Swap(true) {
		n.config.Active()
	}
}
