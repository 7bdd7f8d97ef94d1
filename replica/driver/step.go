package driver

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
func (d *Driver) Choices(ctx context.Context) (Choices, error) {
	choices := make(chan Choices, 1)
	if err := d.whenReady(ctx, func(d *Driver) { choices <- d.choices() }); err != nil {
		return Choices{}, err
	}
	return <-choices, nil
}

func (d *Driver) choices() (c Choices) {
	d.count()
	c.Ahead = d.network.NextDeliveries()
	c.Height = d.network.Activity().Height
	return c
}

// Step makes the delivery that choose selects; it makes none if the position does not exist. If there is nothing left
// to deliver, position 0 closes the round.
func (d *Driver) Step(ctx context.Context, choose func(Choices) int) (Stepped, error) {
	done := make(chan Stepped, 1)
	if err := d.whenReady(ctx, func(d *Driver) { done <- d.step(choose) }); err != nil {
		return Stepped{}, err
	}
	return <-done, nil
}

func (d *Driver) step(choose func(Choices) int) (s Stepped) {
	choices := d.choices()
	at := choose(choices)
	if at < 0 || at >= max(1, len(choices.Ahead)) {
		return d.withTime(s)
	}
	if len(choices.Ahead) > 0 {
		s.Moved, s.Made = true, choices.Ahead[at]
	}
	s.Busy = d.network.Step(replica.OracleFunc(func([]replica.Move) int { return at })) || d.compiler.delaying()
	if !d.network.Activity().RoundOpen {
		s.Closed = true
		d.show(d.network.LastReport().Answered)
	}
	return d.withTime(s)
}

func (d *Driver) withTime(s Stepped) Stepped {
	activity := d.network.Activity()
	s.Time, s.Height = activity.Time, activity.Height
	return s
}
