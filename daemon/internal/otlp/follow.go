package otlp

import (
	"context"
	"errors"
	"fmt"

	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/canisterd/canisterd/replica/driver"
)

// Follow makes spans of the events of an instance, from those that are recorded on, until ctx ends or the instance
// does. The instance must record when events happen (driver.Config.Clock).
func (x *Exporter) Follow(ctx context.Context, instance string, events *driver.Driver) {
	from := driver.From{Beginning: true}
	for {
		err := x.followFrom(ctx, instance, events, from)
		place, behind := errors.AsType[*driver.PlaceError](err)
		if !behind || ctx.Err() != nil {
			return // the instance has ended
		}
		if errors.Is(err, driver.ErrBehind) {
			x.missed.Add(place.First - place.Wanted)
		}
	}
}

// followFrom follows an instance until there are no more events, or some are forgotten.
func (x *Exporter) followFrom(ctx context.Context, instance string, events *driver.Driver, from driver.From) error {
	s, err := events.Events(ctx, from, driver.Filter{})
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
func takeRest(a *assembler, s *driver.Stream) error {
	for {
		e, ok, err := s.Recorded()
		if !ok {
			return err
		}
		a.take(&e)
	}
}
