package node

import (
	"context"

	"github.com/canisterd/canisterd/replica"
)

// Stepped is the result of a step.
type Stepped struct {
	Made         replica.Delivery // if Moved
	Moved        bool
	Closed       bool // the round has ended, and the view shows its results
	Busy         bool // another step would do something
	Time, Height uint64
}

// Choices are the deliveries that a step may make, in the round of a height.
type Choices struct {
	Height uint64
	Ahead  []replica.Delivery
}

// Choices returns the legal next deliveries, as (*replica.Network).Ahead; a round is open from then on until steps or
// Round close it.
func (n *Node) Choices(ctx context.Context) (Choices, error) {
	choices := make(chan Choices, 1)
	if err := n.whenReady(ctx, func(n *Node) { choices <- n.choices() }); err != nil {
		return Choices{}, err
	}
	return <-choices, nil
}

func (n *Node) choices() (c Choices) {
	n.count()
	c.Ahead = n.network.NextDeliveries()
	c.Height = n.network.Activity().Height
	return c
}

// Step makes the delivery that choose selects; it makes none if the position does not exist. If there is nothing left
// to deliver, position 0 closes the round.
func (n *Node) Step(ctx context.Context, choose func(Choices) int) (Stepped, error) {
	done := make(chan Stepped, 1)
	if err := n.whenReady(ctx, func(n *Node) { done <- n.step(choose) }); err != nil {
		return Stepped{}, err
	}
	return <-done, nil
}

func (n *Node) step(choose func(Choices) int) (s Stepped) {
	choices := n.choices()
	at := choose(choices)
	if at < 0 || at >= max(1, len(choices.Ahead)) {
		return n.withTime(s)
	}
	if len(choices.Ahead) > 0 {
		s.Moved, s.Made = true, choices.Ahead[at]
	}
	s.Busy = n.network.Step(replica.OracleFunc(func([]replica.Move) int { return at })) || n.compiler.delaying()
	if !n.network.Activity().RoundOpen {
		s.Closed = true
		n.show(n.network.LastReport())
	}
	return n.withTime(s)
}

func (n *Node) withTime(s Stepped) Stepped {
	activity := n.network.Activity()
	s.Time, s.Height = activity.Time, activity.Height
	return s
}
