package driver

import (
	"context"

	"github.com/canisterd/canisterd/replica"
)

// Next is what should happen next.
type Next uint8

// The choices between two rounds (RunRounds).
const (
	Stop   Next = iota // nothing: RunRounds returns
	Go                 // a round
	Linger             // a call after something has happened
)

// Work counts what RunRounds did.
type Work struct {
	Rounds, Messages, Instructions uint64
}

// turn is one choice and what came of it.
type turn struct {
	next     Next
	report   replica.RoundReport
	happened <-chan struct{} // for Linger, and for Go if the round has to wait for modules
}

// RunRounds runs rounds, in any mode, until decide returns Stop. decide is called between two rounds and owns the
// network during the call; it may give inputs to the network. A round that it asks for may have to wait for modules
// (Config.AwaitModules). Other callers are served between two rounds. The error is ctx's, checked between rounds, or
// ErrClosed; then decide may be called again, and its results must not be read.
func (d *Driver) RunRounds(ctx context.Context, decide func(*replica.Network) Next) (all Work, err error) {
	turns := make(chan turn, 1)
	for {
		if err := d.askUnsettled(ctx, func(d *Driver) { turns <- d.turn(ctx, decide) }); err != nil {
			return all, err
		}
		t := <-turns
		for t.next == Go && t.happened != nil {
			if err := d.await(ctx, t.happened); err != nil {
				return all, err
			}
			if err := d.askUnsettled(ctx, func(d *Driver) { turns <- d.goOn(ctx) }); err != nil {
				return all, err
			}
			t = <-turns
		}
		switch t.next {
		case Stop:
			if err := ctx.Err(); err != nil {
				return all, err
			}
			return all, d.Settle(ctx)
		case Go:
			all.Rounds++
			all.Messages += uint64(t.report.Messages)
			all.Instructions += t.report.Instructions
			err = ctx.Err()
		case Linger:
			err = d.await(ctx, t.happened)
		}
		if err != nil {
			return all, err
		}
	}
}

func (d *Driver) turn(ctx context.Context, decide func(*replica.Network) Next) (t turn) {
	if ctx.Err() != nil {
		return t
	}
	switch t.next = decide(d.network); t.next {
	case Go:
		if d.ready() {
			d.round()
			t.report = d.network.LastReport()
		} else {
			t.happened = d.changed.wait()
		}
	case Linger:
		d.readOnly, t.happened = true, d.changed.wait()
	case Stop:
	}
	return t
}

// goOn runs the round that was chosen, unless it has to wait on.
func (d *Driver) goOn(ctx context.Context) turn {
	switch {
	case ctx.Err() != nil:
		return turn{}
	case d.ready():
		d.round()
		return turn{next: Go, report: d.network.LastReport()}
	}
	d.readOnly = true
	return turn{next: Go, happened: d.changed.wait()}
}
