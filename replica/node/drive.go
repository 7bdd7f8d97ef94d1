package node

import (
	"context"

	"github.com/canisterd/canisterd/replica"
)

// Next is what a driver wants to happen next.
type Next uint8

// The choices of a driver.
const (
	Stop   Next = iota // nothing: it has finished
	Go                 // a round
	Linger             // a call after something has happened
)

// Driven counts the work for a driver.
type Driven struct {
	Rounds, Messages, Instructions uint64
}

// turn is the result of one call of a driver.
type turn struct {
	next     Next
	report   replica.RoundReport
	happened <-chan struct{} // for Linger, and for Go if the round has to wait for modules
}

// Drive runs rounds, in any mode, until the driver stops. The driver is called between two rounds and owns the network
// during the call; it may give inputs to the network. A round that it asks for may have to wait for modules
// (Config.AwaitModules). Other callers are served between two rounds. The error is ctx's,
// checked between rounds, or ErrClosed; then the driver may be called again, and its results must not be read.
func (n *Node) Drive(ctx context.Context, driver func(*replica.Network) Next) (all Driven, err error) {
	turns := make(chan turn, 1)
	for {
		if err := n.askUnsettled(ctx, func(n *Node) { turns <- n.turn(ctx, driver) }); err != nil {
			return all, err
		}
		t := <-turns
		for t.next == Go && t.happened != nil {
			if err := n.await(ctx, t.happened); err != nil {
				return all, err
			}
			if err := n.askUnsettled(ctx, func(n *Node) { turns <- n.goOn(ctx) }); err != nil {
				return all, err
			}
			t = <-turns
		}
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
		if n.ready() {
			t.report = n.round()
		} else {
			t.happened = n.changed.wait()
		}
	case Linger:
		n.readOnly, t.happened = true, n.changed.wait()
	case Stop:
	}
	return t
}

// goOn runs the round that a driver has asked for, unless it has to wait on.
func (n *Node) goOn(ctx context.Context) turn {
	switch {
	case ctx.Err() != nil:
		return turn{}
	case n.ready():
		return turn{next: Go, report: n.round()}
	}
	n.readOnly = true
	return turn{next: Go, happened: n.changed.wait()}
}
