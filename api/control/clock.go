package control

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/daemon/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// clock is the service Clock.
type clock struct {
	controlv1.UnimplementedClockServer
	*Server
}

// Reasons of the service Clock.
var (
	// notManual takes what needs manual pacing, the instance and its pacing.
	notManual = reason("PACING_NOT_MANUAL", codes.FailedPrecondition,
		"%s needs manual pacing, and the wall clock moves the time of instance %q (%s): call Clock.SetPacing with PACING_MODE_MANUAL first", "", "instance", "pacing")
	// timeGoesBack takes the time there is and the one asked for.
	timeGoesBack = reason("TIME_GOES_BACK", codes.FailedPrecondition, "time never goes back: it is %s, and was to be %s", "now", "asked")
	// noTimer takes the instance.
	noTimer = reason("NO_TIMER", codes.FailedPrecondition, "no canister of instance %q has a timer set, and nothing else waits for a time", "instance")
)

// latest is the last time there is, as some canisters and clients have it in 63 bits.
const latest = math.MaxInt64

// stamp is a time of the network, which counts nanoseconds since 1970.
func stamp(ns uint64) *timestamppb.Timestamp {
	return &timestamppb.Timestamp{Seconds: int64(ns / 1e9), Nanos: int32(ns % 1e9)}
}

// due is a time at which something happens, unset where nothing does.
func due(ns uint64, ok bool) *timestamppb.Timestamp {
	if !ok {
		return nil
	}
	return stamp(ns)
}

// instant reads a time.
func instant(field string, t *timestamppb.Timestamp) (uint64, error) {
	if t == nil {
		return 0, MissingField.Refuse(field, "a time, such as 2026-01-31T12:00:00Z")
	}
	if err := t.CheckValid(); err != nil {
		return 0, BadField.Refuse(field, t, "it must be a valid google.protobuf.Timestamp")
	}
	if t.GetSeconds() < 0 || t.GetSeconds() >= latest/1_000_000_000 {
		return 0, BadField.Refuse(field, written(t), "times are from 1970 to 2262")
	}
	return uint64(t.AsTime().UnixNano()), nil
}

func written(t *timestamppb.Timestamp) string { return t.AsTime().Format(time.RFC3339Nano) }

// byHand is an instance whose time is moved by clients, or why what needs that cannot
// be done.
func (s *Server) byHand(name, what string) (*instance.Instance, error) {
	i, err := s.instance(name)
	if err != nil {
		return nil, err
	}
	if p := i.Pacing(); !p.RoundsByClients() {
		return nil, notManual.Refuse(what, i.Name(), p.Mode)
	}
	return i, nil
}

// GetTime is the time of the last round and how it moves.
func (s *clock) GetTime(ctx context.Context, in *controlv1.GetTimeRequest) (*controlv1.GetTimeResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	return sight(ctx, i, func(n *replica.Network) *controlv1.GetTimeResponse {
		at, height := n.Now()
		return &controlv1.GetTimeResponse{
			Time: stamp(at), Height: height, Pacing: shownPacing(i.Pacing()), Offset: shownOffset(i),
			NextDue: due(n.NextEvent()), NextTimer: due(n.NextTimer()), NextRound: stamp(max(n.NextTime(), i.Backend().Clock().Now)),
		}
	})
}

// shownOffset is how far an instance's time is ahead of the wall clock's, unset where it is
// not, or is moved by hand.
func shownOffset(i *instance.Instance) *durationpb.Duration {
	if !i.Pacing().TimeByWallClock() || i.Offset() == 0 {
		return nil
	}
	return durationpb.New(i.Offset())
}

// sight is what a look at the network of an instance shows.
func sight[T any](ctx context.Context, i *instance.Instance, look func(*replica.Network) T) (T, error) {
	seen := make(chan T, 1)
	if err := i.Node().Do(ctx, func(n *replica.Network) { seen <- look(n) }); err != nil {
		var nothing T
		return nothing, err
	}
	return <-seen, nil
}

// SetTime sets the time of the next round, from which the wall clock goes on where it
// moves time.
func (s *clock) SetTime(ctx context.Context, in *controlv1.SetTimeRequest) (*controlv1.SetTimeResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	at, err := instant("time", in.GetTime())
	if err != nil {
		return nil, err
	}
	if err := setTime(ctx, i, at, 0); err != nil {
		return nil, err
	}
	return &controlv1.SetTimeResponse{Time: stamp(at)}, nil
}

// setTime sets the time of the next round; the offset is at least so much then.
func setTime(ctx context.Context, i *instance.Instance, at uint64, offset time.Duration) error {
	now, err := sight(ctx, i, func(n *replica.Network) uint64 {
		now := clockOf(i, n)
		if at >= now {
			n.Apply(replica.AdvanceTo(at))
			i.PutAhead(offset)
			keepUp(i, n)
		}
		return now
	})
	if err == nil && at < now {
		return timeGoesBack.Refuse(written(stamp(now)), written(stamp(at)))
	}
	return err
}

// clockOf is what the clock of an instance shows: the wall clock's time and the offset,
// or what the time of its network was moved to where that is later.
func clockOf(i *instance.Instance, n *replica.Network) uint64 {
	return max(n.Clock(), i.Backend().Clock().Now)
}

// keepUp makes the wall clock go on from the time to which a network's was moved.
func keepUp(i *instance.Instance, n *replica.Network) {
	i.PutAhead(time.Duration(n.Clock() - i.Backend().Clock().Wall))
}

// drive is Drive for who moves time: the wall clock goes on from wherever time stands when
// the driver is done, or its client has gone.
func drive(ctx context.Context, i *instance.Instance, driver func(*replica.Network) node.Next) (node.Driven, error) {
	done, err := i.Node().Drive(ctx, driver)
	keeping := i.Node().Do(context.WithoutCancel(ctx), func(n *replica.Network) { keepUp(i, n) })
	if err == nil {
		err = keeping
	}
	return done, err
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

// pacingMessage is a mode as clients see it: they have one of the same name.
func pacingMessage(m instance.PacingMode) controlv1.PacingMode {
	return controlv1.PacingMode(controlv1.PacingMode_value["PACING_MODE_"+strings.ToUpper(m.String())])
}

// readPacing reads how an instance is to be paced; what is not set is the default.
func readPacing(in *controlv1.Pacing) (p instance.Pacing, err error) {
	if in.GetMode() != controlv1.PacingMode_PACING_MODE_UNSPECIFIED {
		all := instance.PacingModes()
		at := slices.IndexFunc(all, func(m instance.PacingMode) bool { return pacingMessage(m) == in.GetMode() })
		if at < 0 {
			return p, BadField.Refuse("pacing.mode", in.GetMode(), "it must be one of PacingMode")
		}
		p.Mode = all[at]
	}
	if in.GetInterval() == nil {
		return p, nil
	}
	if err := in.GetInterval().CheckValid(); err != nil {
		return p, BadField.Refuse("pacing.interval", in.GetInterval(), "it must be a valid google.protobuf.Duration")
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
