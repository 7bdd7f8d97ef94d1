package daemon

import (
	"context"
	"time"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

const (
	// tick is how often a network looks at the wall clock while nobody asks
	// anything of it: the accuracy of global timers. Mainnet's is a round, about
	// a second.
	tick = 20 * time.Millisecond
	// heartbeat is the time between two heartbeats of an idle network: about
	// mainnet's time between rounds.
	heartbeat = time.Second
)

// pace moves a network's time with the wall clock until ctx or the network ends.
// This and the backend are where the time of day enters.
func pace(ctx context.Context, n *node.Node, clock func() time.Time) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	beat := clock()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := clock()
		at := uint64(now.UnixNano())
		var err error
		if now.Sub(beat) >= heartbeat {
			beat = now
			err = n.AdvanceTo(ctx, at)
		} else {
			_, err = n.Apply(ctx, replica.AdvanceTo(at))
		}
		if err != nil {
			return // the node has said why where it is a bug
		}
	}
}

// paceRounds runs a round every interval, at the time of the wall clock, until ctx
// or the network ends.
func paceRounds(ctx context.Context, n *node.Node, clock func() time.Time, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if _, err := n.Apply(ctx, replica.AdvanceTo(uint64(clock().UnixNano()))); err != nil {
			return
		}
		if _, err := n.Round(ctx); err != nil {
			return
		}
	}
}
