package node

import (
	"context"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/sched"
)

// Stepped says what a step did.
type Stepped struct {
	Made         replica.Ahead // where Moved
	Moved        bool
	Closed       bool // the round is over, and the view shows what it did
	Busy         bool // another step would do something
	Time, Height uint64
}

// Ahead are the legal next deliveries, as (*replica.Network).Ahead; a round is open
// from then on until steps or Round close it.
func (n *Node) Ahead(ctx context.Context) ([]replica.Ahead, error) {
	ahead := make(chan []replica.Ahead, 1)
	if err := n.ask(ctx, func(n *Node) { ahead <- n.ahead() }); err != nil {
		return nil, err
	}
	return <-ahead, nil
}

func (n *Node) ahead() []replica.Ahead {
	n.count()
	return n.network.Ahead()
}

// Step makes the delivery that choose picks; where it picks a position that is not
// there nothing is made. Where nothing is left to be delivered, position 0 closes the
// round.
func (n *Node) Step(ctx context.Context, choose func([]replica.Ahead) int) (Stepped, error) {
	done := make(chan Stepped, 1)
	if err := n.ask(ctx, func(n *Node) { done <- n.step(choose) }); err != nil {
		return Stepped{}, err
	}
	return <-done, nil
}

func (n *Node) step(choose func([]replica.Ahead) int) (s Stepped) {
	ahead := n.ahead()
	at := choose(ahead)
	if at < 0 || at >= max(1, len(ahead)) {
		return n.stood(s)
	}
	if len(ahead) > 0 {
		s.Moved, s.Made = true, ahead[at]
	}
	s.Busy = n.network.Step(sched.Func(func([]sched.Move) int { return at }))
	if !n.network.Begun() {
		s.Closed = true
		n.show(n.network.Closed())
	}
	return n.stood(s)
}

func (n *Node) stood(s Stepped) Stepped {
	s.Time, s.Height = n.network.Now()
	return s
}
