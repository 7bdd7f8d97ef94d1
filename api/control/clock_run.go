package control

import (
	"context"

	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// RunRounds runs rounds now.
func (s *clock) RunRounds(ctx context.Context, in *controlv1.RunRoundsRequest) (*controlv1.RunRoundsResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	ran, err := i.RunRounds(ctx, uint64(in.GetRounds()))
	if err != nil {
		return nil, err
	}
	return &controlv1.RunRoundsResponse{
		Time: stamp(ran.Time), Height: ran.Height, Busy: ran.Busy, Messages: ran.Messages, Instructions: ran.Instructions,
	}, nil
}

// stopReasons converts the reasons why runs stop, for clients.
var stopReasons = map[instance.StopReason]controlv1.StopReason{
	instance.ConditionMet: controlv1.StopReason_STOP_REASON_CONDITION,
	instance.NothingMore:  controlv1.StopReason_STOP_REASON_IDLE,
	instance.RoundsSpent:  controlv1.StopReason_STOP_REASON_ROUNDS,
}

// RunUntil runs rounds until a condition holds.
func (s *clock) RunUntil(ctx context.Context, in *controlv1.RunUntilRequest) (*controlv1.RunUntilResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	condition, err := readCondition(in)
	if err != nil {
		return nil, err
	}
	until, err := i.RunUntil(ctx, condition, in.GetMaxRounds())
	if err != nil {
		return nil, err
	}
	return &controlv1.RunUntilResponse{
		Reason: stopReasons[until.Reason], Time: stamp(until.Time), Height: until.Height, Rounds: until.Rounds, Messages: until.Messages,
		HeldMessages: uint64(until.Held), Outcalls: uint64(until.Outcalls),
		WaitsFor: until.WaitsFor,
	}, nil
}

// readCondition parses the condition of a run.
func readCondition(in *controlv1.RunUntilRequest) (c instance.Condition, err error) {
	switch wanted := in.GetCondition().(type) {
	case *controlv1.RunUntilRequest_Idle:
		if !wanted.Idle {
			return c, BadField.Refuse("idle", false, "set it to true, or choose another condition")
		}
		return instance.Idle(), nil
	case *controlv1.RunUntilRequest_RequestId:
		id, err := readRequestID("request_id", wanted.RequestId)
		return instance.Answered(id), err
	case *controlv1.RunUntilRequest_Time:
		at, err := instant("time", wanted.Time)
		return instance.At(at), err
	case *controlv1.RunUntilRequest_NextTimer:
		if !wanted.NextTimer {
			return c, BadField.Refuse("next_timer", false, "set it to true, or choose another condition")
		}
		return instance.NextTimer(), nil
	}
	return c, MissingField.Refuse("condition", "idle, request_id, time or next_timer")
}

// readRequestID parses the id of a user's message.
func readRequestID(field string, in []byte) (id replica.RequestID, err error) {
	if len(in) != len(id) {
		return id, BadField.Refuse(field, len(in), "a request id has 32 bytes")
	}
	return replica.RequestID(in), nil
}
