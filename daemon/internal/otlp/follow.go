package otlp

import (
	"context"
	"errors"
	"fmt"

	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/canisterd/canisterd/replica/node"
)

// Follow makes spans of the events of an instance, from those that are recorded on, until ctx ends or the instance does.
// The instance must record when events happen (node.Config.Clock).
func (x *Exporter) Follow(ctx context.Context, instance string, events *node.Node) {
	from := node.From{Beginning: true}
	for {
		err := x.followFrom(ctx, instance, events, from)
		place, behind := errors.AsType[*node.PlaceError](err)
		if !behind || ctx.Err() != nil {
			return // the instance has ended
		}
		if errors.Is(err, node.ErrBehind) {
			x.missed.Add(place.First - place.Wanted)
		}
	}
}

// followFrom follows an instance until there are no more events, or some are forgotten.
func (x *Exporter) followFrom(ctx context.Context, instance string, events *node.Node, from node.From) error {
	s, err := events.Events(ctx, from, node.Filter{})
	if err != nil {
		return err
	}
	defer s.Close()
	scope := fmt.Sprintf("%s %x ", instance, s.Token().Generation)
	a := newAssembler(scope, func(span *tracepb.Span) { x.add(instance, span) })
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return errors.Join(err, takeRest(a, s))
		}
		a.take(&e)
	}
}

// takeRest takes what is recorded when the instance ends.
func takeRest(a *assembler, s *node.Stream) error {
	for {
		e, ok, err := s.Recorded()
		if !ok {
			return err
		}
		a.take(&e)
	}
}
