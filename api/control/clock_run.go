package control

import (
	"context"

	"github.com/canisterd/canisterd/daemon/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// AdvanceTime moves time ahead. Where the wall clock moves it too, that goes on from there:
// a duration makes the offset larger by as much, however long the rounds on the way take.
func (s *clock) AdvanceTime(ctx context.Context, in *controlv1.AdvanceTimeRequest) (*controlv1.AdvanceTimeResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	offset := i.Offset() + in.GetDuration().AsDuration()
	target, err := advanceTarget(ctx, i, in)
	if err != nil {
		return nil, err
	}
	if in.GetJump() {
		if err := setTime(ctx, i, target, offset); err != nil {
			return nil, err
		}
		return &controlv1.AdvanceTimeResponse{Time: stamp(target)}, nil
	}
	var p timeAdvance
	var at uint64
	done, err := drive(ctx, i, func(n *replica.Network) node.Next {
		at, _ = n.Now()
		next := p.to(n, target)
		if next == node.Stop {
			i.PutAhead(offset)
		}
		return next
	})
	if err != nil {
		return nil, err
	}
	return &controlv1.AdvanceTimeResponse{Time: stamp(at), Rounds: done.Rounds, Messages: done.Messages}, nil
}

// advanceTarget is the time a request wants to advance to.
func advanceTarget(ctx context.Context, i *instance.Instance, in *controlv1.AdvanceTimeRequest) (uint64, error) {
	switch by := in.GetBy().(type) {
	case *controlv1.AdvanceTimeRequest_ToNextTimer:
		if !by.ToNextTimer {
			return 0, BadField.Refuse("to_next_timer", false, "set it to true, or give a duration")
		}
		at, err := sight(ctx, i, func(n *replica.Network) uint64 {
			at, ok := n.NextTimer()
			if !ok {
				at, ok = n.NextEvent()
			}
			if !ok {
				return 0
			}
			return max(at, n.NextTime(), i.Backend().Clock().Now)
		})
		if err == nil && at == 0 {
			err = noTimer.Refuse(i.Name())
		}
		return at, err
	case *controlv1.AdvanceTimeRequest_Duration:
		if by.Duration.CheckValid() != nil {
			return 0, BadField.Refuse("duration", by.Duration, "it must be a valid google.protobuf.Duration")
		}
		now, err := sight(ctx, i, func(n *replica.Network) uint64 { return clockOf(i, n) })
		if err != nil {
			return 0, err
		}
		// Its seconds count: a Duration of Go ends after 292 years.
		seconds, nanos := by.Duration.GetSeconds(), by.Duration.GetNanos()
		if seconds < 0 || nanos < 0 || seconds == 0 && nanos == 0 {
			return 0, BadField.Refuse("duration", by.Duration.AsDuration(), "it must be positive: time never goes back")
		}
		if uint64(seconds) >= (latest-now)/1_000_000_000 {
			return 0, BadField.Refuse("duration", decimal(uint64(seconds))+"s", "times end in 2262")
		}
		return now + uint64(seconds)*1_000_000_000 + uint64(nanos), nil
	}
	return 0, MissingField.Refuse("by", "a duration, or to_next_timer")
}

// Rounds of one request.
const (
	// maxRunRounds is how many rounds RunRounds runs at most. Ours.
	maxRunRounds = 100_000
	// defaultMaxRounds is how many rounds RunUntil runs where the request does not
	// say. Ours.
	defaultMaxRounds = 1_000_000
)

// RunRounds runs rounds now.
func (s *clock) RunRounds(ctx context.Context, in *controlv1.RunRoundsRequest) (*controlv1.RunRoundsResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	if in.GetRounds() > maxRunRounds {
		return nil, BadField.Refuse("rounds", in.GetRounds(), "at most 100,000 are run by one request")
	}
	var out controlv1.RunRoundsResponse
	left := max(1, in.GetRounds())
	done, err := i.Node().Drive(ctx, func(n *replica.Network) node.Next {
		if left == 0 {
			at, height := n.Now()
			out.Time, out.Height, out.Busy = stamp(at), height, n.Busy()
			return node.Stop
		}
		left--
		catchUp(i, n)
		return node.Go
	})
	if err != nil {
		return nil, err
	}
	out.Messages, out.Instructions = done.Messages, done.Instructions
	return &out, nil
}

// catchUp brings the wall clock in where it moves the time of an instance.
func catchUp(i *instance.Instance, n *replica.Network) {
	if i.Pacing().TimeByWallClock() {
		n.Apply(replica.AdvanceTo(i.Backend().Clock().Now))
	}
}

// RunUntil runs rounds until a condition holds.
func (s *clock) RunUntil(ctx context.Context, in *controlv1.RunUntilRequest) (*controlv1.RunUntilResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	r := &run{instance: i, byHand: i.Pacing().RoundsByClients(), most: in.GetMaxRounds()}
	if r.most == 0 {
		r.most = defaultMaxRounds
	}
	if err := r.read(in); err != nil {
		return nil, err
	}
	done, err := drive(ctx, i, r.drive)
	if err != nil {
		return nil, err
	}
	if r.refused != nil {
		return nil, r.refused
	}
	r.out.Rounds, r.out.Messages = done.Rounds, done.Messages
	return &r.out, nil
}

// run is one RunUntil under way. Who owns the network calls its methods, but for read.
type run struct {
	instance *instance.Instance
	byHand   bool
	most     uint64 // rounds
	rounds   uint64 // run
	goal     func(*replica.Network) node.Next
	advance  timeAdvance
	request  replica.RequestID
	target   uint64 // time to be reached; for the next timer, once it is known
	out      controlv1.RunUntilResponse
	refused  error
}

func (r *run) read(in *controlv1.RunUntilRequest) (err error) {
	switch c := in.GetCondition().(type) {
	case *controlv1.RunUntilRequest_Idle:
		if !c.Idle {
			return BadField.Refuse("idle", false, "set it to true, or choose another condition")
		}
		r.goal = r.idle
	case *controlv1.RunUntilRequest_RequestId:
		r.goal = r.answered
		r.request, err = readRequestID("request_id", c.RequestId)
	case *controlv1.RunUntilRequest_Time:
		r.goal = r.reached
		r.target, err = instant("time", c.Time)
	case *controlv1.RunUntilRequest_NextTimer:
		if !c.NextTimer {
			return BadField.Refuse("next_timer", false, "set it to true, or choose another condition")
		}
		r.goal = r.fired
	default:
		return MissingField.Refuse("condition", "idle, request_id, time or next_timer")
	}
	return err
}

// readRequestID reads the id of a user's message.
func readRequestID(field string, in []byte) (id replica.RequestID, err error) {
	if len(in) != len(id) {
		return id, BadField.Refuse(field, len(in), "a request id has 32 bytes")
	}
	return replica.RequestID(in), nil
}

func (r *run) drive(n *replica.Network) node.Next {
	next := r.goal(n)
	if next == node.Go && r.rounds == r.most {
		next = r.stop(controlv1.StopReason_STOP_REASON_ROUNDS)
	}
	switch next {
	case node.Go:
		r.rounds++
		catchUp(r.instance, n)
	case node.Stop:
		at, height := n.Now()
		waits := n.Outside()
		r.out.Time, r.out.Height, r.out.HeldMessages, r.out.Outcalls = stamp(at), height, uint64(waits.Kept), uint64(waits.Outcalls)
	case node.Linger:
	}
	return next
}

func (r *run) stop(why controlv1.StopReason) node.Next {
	r.out.Reason = why
	return node.Stop
}

// idle is the condition that nothing waits that could run.
func (r *run) idle(n *replica.Network) node.Next {
	if n.Pressing() {
		return node.Go
	}
	if waits := n.Outside(); waits.Compiling > 0 || waits.Mocked > 0 {
		return node.Linger
	}
	return r.stop(controlv1.StopReason_STOP_REASON_CONDITION)
}

// reached is the condition that a time has come and what follows from it is done.
func (r *run) reached(n *replica.Network) node.Next {
	if next := r.advance.to(n, r.target); next != node.Stop {
		return next
	}
	return r.stop(controlv1.StopReason_STOP_REASON_CONDITION)
}

// fired is the condition that the next timer has fired and what follows from it is done.
func (r *run) fired(n *replica.Network) node.Next {
	if r.target == 0 {
		if next := r.advance.settle(n); next != node.Stop {
			return next
		}
		at, ok := n.NextTimer()
		if !ok {
			return r.stop(controlv1.StopReason_STOP_REASON_IDLE)
		}
		r.target = max(at, n.NextTime())
	}
	return r.reached(n)
}

// answered is the condition that a user's message has its answer.
func (r *run) answered(n *replica.Network) node.Next {
	known, answered := standing(n, r.request)
	switch {
	case !known:
		r.refused = requestUnknown.Refuse(node.ErrUnknown)
		return node.Stop
	case answered:
		return r.stop(controlv1.StopReason_STOP_REASON_CONDITION)
	}
	if !r.byHand {
		if n.Pressing() {
			return node.Go
		}
		return node.Linger
	}
	return r.onwards(n)
}

// onwards is towards a message: what there is to do, and then what time brings. It is
// Stop where nothing more can happen, or time would pass for those that a client holds.
func (r *run) onwards(n *replica.Network) node.Next {
	if next := r.advance.settle(n); next != node.Stop {
		return next
	}
	if next := r.outside(n); next != node.Stop {
		return next
	}
	waits := n.Outside()
	if _, comes := n.NextEvent(); !comes || waits.Outcalls > 0 || waits.Kept > 0 {
		return r.stop(controlv1.StopReason_STOP_REASON_IDLE)
	}
	r.advance.jump(n, latest)
	return node.Go
}

// outside is Linger where the daemon makes an HTTP outcall, whose answer comes by itself.
func (r *run) outside(n *replica.Network) node.Next {
	if n.Outside().Outcalls > 0 && r.instance.About().Outcalls == instance.AllowOutcalls {
		return node.Linger
	}
	return node.Stop
}

// standing says whether a user's message is known, and whether its answer is shown.
func standing(n *replica.Network, id replica.RequestID) (known, answered bool) {
	for _, s := range n.View().Subnets {
		if status := n.IngressStatus(s.ID, id); status != 0 {
			return true, status.Terminal() && n.Shown(s.ID, id)
		}
	}
	return false, false
}
