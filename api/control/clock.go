package control

import (
	"context"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// clock is the service Clock.
type clock struct {
	controlv1.UnimplementedClockServer
	*Server
}

// stamp converts a time of the network, in nanoseconds since 1970.
func stamp(ns uint64) *timestamppb.Timestamp {
	return &timestamppb.Timestamp{Seconds: int64(ns / 1e9), Nanos: int32(ns % 1e9)}
}

// moment converts a time that is unset if it is 0.
func moment(ns uint64) *timestamppb.Timestamp {
	if ns == 0 {
		return nil
	}
	return stamp(ns)
}

// instant parses a time.
func instant(field string, t *timestamppb.Timestamp) (uint64, error) {
	if t == nil {
		return 0, MissingField.Refuse(field, "a time, such as 2026-01-31T12:00:00Z")
	}
	if err := t.CheckValid(); err != nil {
		return 0, BadField.Refuse(field, t, "expected a valid google.protobuf.Timestamp")
	}
	if t.GetSeconds() < 0 || t.GetSeconds() >= instance.Latest/1_000_000_000 {
		return 0, BadField.Refuse(field, written(t), "times are from 1970 to 2262")
	}
	return uint64(t.AsTime().UnixNano()), nil
}

func written(t *timestamppb.Timestamp) string { return t.AsTime().Format(time.RFC3339Nano) }

// GetTime returns the time of the last round and how time moves.
func (s *clock) GetTime(ctx context.Context, in *controlv1.GetTimeRequest) (*controlv1.GetTimeResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	t, err := i.Time(ctx)
	if err != nil {
		return nil, err
	}
	return &controlv1.GetTimeResponse{
		Time: stamp(t.Last), Height: t.Height, Pacing: shownPacing(t.Pacing), Offset: shownOffset(t.Pacing, t.Offset),
		NextDue: moment(t.NextDue), NextTimer: moment(t.NextTimer), NextRound: stamp(t.NextRound),
	}, nil
}

// shownOffset returns how far an instance's time is ahead of the wall clock's, unset if it is not, or if clients move
// it.
func shownOffset(p instance.Pacing, offset time.Duration) *durationpb.Duration {
	if !p.TimeByWallClock() || offset == 0 {
		return nil
	}
	return durationpb.New(offset)
}

// SetTime sets the time of the next round; the wall clock continues from there if it moves time.
func (s *clock) SetTime(ctx context.Context, in *controlv1.SetTimeRequest) (*controlv1.SetTimeResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	at, err := instant("time", in.GetTime())
	if err != nil {
		return nil, err
	}
	if err := i.SetTime(ctx, at); err != nil {
		return nil, err
	}
	return &controlv1.SetTimeResponse{Time: stamp(at)}, nil
}

// AdvanceTime moves time ahead.
func (s *clock) AdvanceTime(ctx context.Context, in *controlv1.AdvanceTimeRequest) (*controlv1.AdvanceTimeResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	advance := instance.Advance{Jump: in.GetJump()}
	switch by := in.GetBy().(type) {
	case *controlv1.AdvanceTimeRequest_ToNextTimer:
		if !by.ToNextTimer {
			return nil, BadField.Refuse("to_next_timer", false, "set it to true, or give a duration")
		}
	case *controlv1.AdvanceTimeRequest_Duration:
		if advance.By, err = readAdvance(by.Duration); err != nil {
			return nil, err
		}
	default:
		return nil, MissingField.Refuse("by", "a duration, or to_next_timer")
	}
	done, err := i.Advance(ctx, advance)
	if err != nil {
		return nil, err
	}
	return &controlv1.AdvanceTimeResponse{Time: stamp(done.Time), Rounds: done.Rounds, Messages: done.Messages}, nil
}

// readAdvance parses by how much to move time ahead.
func readAdvance(d *durationpb.Duration) (time.Duration, error) {
	switch seconds, nanos := d.GetSeconds(), d.GetNanos(); {
	case d.CheckValid() != nil:
		return 0, BadField.Refuse("duration", d, "expected a valid google.protobuf.Duration")
	case seconds < 0 || nanos < 0 || seconds == 0 && nanos == 0:
		return 0, BadField.Refuse("duration", d.AsDuration(), "expected a positive duration: time never goes back")
	case seconds >= instance.Latest/1_000_000_000: // Go's Duration ends after 292 years
		return 0, BadField.Refuse("duration", decimal(uint64(seconds))+"s", "times end in 2262")
	}
	return d.AsDuration(), nil
}

// SetPacing changes when rounds happen.
func (s *clock) SetPacing(ctx context.Context, in *controlv1.SetPacingRequest) (*controlv1.SetPacingResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	if in.GetPacing() == nil {
		return nil, MissingField.Refuse("pacing", "a mode, and for PACING_MODE_INTERVAL the time between two rounds")
	}
	p, err := readPacing(in.GetPacing())
	if err != nil {
		return nil, err
	}
	if err := i.SetPacing(ctx, p); err != nil {
		return nil, err
	}
	return &controlv1.SetPacingResponse{Pacing: shownPacing(i.Pacing())}, nil
}

// pacingMessage converts a mode for clients: the names are the same.
func pacingMessage(m instance.PacingMode) controlv1.PacingMode {
	return controlv1.PacingMode(controlv1.PacingMode_value["PACING_MODE_"+strings.ToUpper(m.String())])
}

// readPacing parses a pacing; unset fields have their default.
func readPacing(in *controlv1.Pacing) (p instance.Pacing, err error) {
	if in.GetMode() != controlv1.PacingMode_PACING_MODE_UNSPECIFIED {
		all := instance.PacingModes()
		at := slices.IndexFunc(all, func(m instance.PacingMode) bool { return pacingMessage(m) == in.GetMode() })
		if at < 0 {
			return p, BadField.Refuse("pacing.mode", in.GetMode(), "expected one of PacingMode")
		}
		p.Mode = all[at]
	}
	if in.GetInterval() == nil {
		return p, nil
	}
	if err := in.GetInterval().CheckValid(); err != nil {
		return p, BadField.Refuse("pacing.interval", in.GetInterval(), "expected a valid google.protobuf.Duration")
	}
	p.Interval = in.GetInterval().AsDuration()
	if !p.Mode.HasInterval() {
		return p, BadField.Refuse("pacing.interval", p.Interval, "only PACING_MODE_INTERVAL has one")
	}
	return p, p.Check()
}

func shownPacing(p instance.Pacing) *controlv1.Pacing {
	shown := &controlv1.Pacing{Mode: pacingMessage(p.Mode)}
	if p.Mode.HasInterval() {
		shown.Interval = durationpb.New(p.Interval)
	}
	return shown
}
