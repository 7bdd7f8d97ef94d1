package node

import (
	"context"

	"github.com/canisterd/canisterd/replica"
)

// Next is what a driver wants to happen next.
type Next uint8

// The wishes of a driver.
const (
	Stop   Next = iota // nothing: it is done
	Go                 // a round
	Linger             // that it is asked again when something has happened
)

// Driven counts what was done for a driver.
type Driven struct {
	Rounds, Messages, Instructions uint64
}

// turn is what one grasp of the network did for a driver.
type turn struct {
	next     Next
	report   replica.RoundReport
	happened <-chan struct{} // for Linger
}

// Drive runs rounds, whatever the mode, as long as a driver wants them. It is asked
// between two rounds and owns the network meanwhile; it may give it inputs. Others get
// their turn between two rounds. The error is ctx's, looked at between rounds, or
// ErrClosed; then the driver may be asked once more, and what it writes must not be read.
func (n *Node) Drive(ctx context.Context, driver func(*replica.Network) Next) (all Driven, err error) {
	turns := make(chan turn, 1)
	for {
		if err := n.askUnsettled(ctx, func(n *Node) { turns <- n.turn(ctx, driver) }); err != nil {
			return all, err
		}
		t := <-turns
		switch t.next {
		case Stop:
			if err := ctx.Err(); err != nil {
				return all, err
			}
			return all, n.Settle(ctx)
		case Go:
			all.Rounds++
			all.Messages += uint64(t.report.Messages)
			all.Instructions += t.report.Instructions
			err = ctx.Err()
		case Linger:
			err = n.await(ctx, t.happened)
		}
		if err != nil {
			return all, err
		}
	}
}

func (n *Node) turn(ctx context.Context, driver func(*replica.Network) Next) (t turn) {
	if ctx.Err() != nil {
		return t
	}
	switch t.next = driver(n.network); t.next {
	case Go:
		t.report = n.round()
	case Linger:
		n.readOnly, t.happened = true, n.changed.wait()
	case Stop:
	}
	return t
}
