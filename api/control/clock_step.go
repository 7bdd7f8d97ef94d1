package control

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

const (
	// defaultMoves is how many moves ListMoves lists by default, maxMoves the most. Ours.
	defaultMoves = 1000
	maxMoves     = 10_000
)

// ListMoves opens a round and lists the deliveries that may happen next.
func (s *clock) ListMoves(ctx context.Context, in *controlv1.ListMovesRequest) (*controlv1.ListMovesResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	limit := int(in.GetLimit())
	switch {
	case limit > maxMoves:
		return nil, BadField.Refuse("limit", limit, "at most 10,000 moves are listed")
	case limit == 0:
		limit = defaultMoves
	}
	choices, err := i.Moves(ctx)
	if err != nil {
		return nil, err
	}
	listed := choices.Ahead[:min(limit, len(choices.Ahead))]
	out := &controlv1.ListMovesResponse{Height: choices.Height, More: uint64(len(choices.Ahead) - len(listed))}
	for at := range listed {
		out.Moves = append(out.Moves, shownMove(&listed[at]))
	}
	return out, nil
}

var moveKinds = map[replica.MoveKind]controlv1.MoveKind{
	replica.MoveTask:     controlv1.MoveKind_MOVE_KIND_TASK,
	replica.MoveResponse: controlv1.MoveKind_MOVE_KIND_RESPONSE,
	replica.MoveIngress:  controlv1.MoveKind_MOVE_KIND_INGRESS,
	replica.MoveRequest:  controlv1.MoveKind_MOVE_KIND_REQUEST,
	replica.MoveResume:   controlv1.MoveKind_MOVE_KIND_RESUME,
}

func shownMove(a *replica.Delivery) *controlv1.Move {
	m := &controlv1.Move{
		SubnetId: a.Subnet.String(), CanisterId: a.Receiver.String(), Kind: moveKinds[a.Move.Kind], Number: a.Move.Number, Method: a.Method,
	}
	if a.Move.Kind == replica.MoveRequest {
		m.Sender = a.Sender.String()
	}
	return m
}

// StepMessage makes one delivery.
func (s *clock) StepMessage(ctx context.Context, in *controlv1.StepMessageRequest) (*controlv1.StepMessageResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	choice, err := readChoice(in)
	if err != nil {
		return nil, err
	}
	done, err := i.Step(ctx, choice)
	if err != nil {
		return nil, err
	}
	out := &controlv1.StepMessageResponse{RoundClosed: done.Closed, Busy: done.Busy, Time: stamp(done.Time), Height: done.Height}
	if done.Moved {
		out.Made = shownMove(&done.Made)
	}
	return out, nil
}

// readChoice parses how a request chooses a move.
func readChoice(in *controlv1.StepMessageRequest) (instance.Choice, error) {
	switch c := in.GetChoice().(type) {
	case *controlv1.StepMessageRequest_Position:
		return instance.Position(c.Position), nil
	case *controlv1.StepMessageRequest_Drawn:
		return instance.Drawn(c.Drawn), nil
	case *controlv1.StepMessageRequest_Move:
		wanted, err := readMove(c.Move)
		return instance.Matching(wanted), err
	}
	return instance.Oldest(), nil
}

func readMove(in *controlv1.Move) (m instance.Move, err error) {
	m = instance.Move{Number: in.GetNumber(), Method: in.GetMethod()}
	for kind, shown := range moveKinds {
		if shown == in.GetKind() {
			m.Kind = &kind
		}
	}
	if m.Kind == nil && in.GetKind() != controlv1.MoveKind_MOVE_KIND_UNSPECIFIED {
		return m, BadField.Refuse("move.kind", in.GetKind(), "expected one of MoveKind")
	}
	for _, p := range []struct {
		field, text string
		to          **principal.Principal
	}{
		{"move.subnet_id", in.GetSubnetId(), &m.Subnet}, {"move.canister_id", in.GetCanisterId(), &m.Receiver}, {"move.sender", in.GetSender(), &m.Sender},
	} {
		if p.text == "" {
			continue
		}
		if *p.to, err = readPrincipal(p.field, p.text); err != nil {
			return m, err
		}
	}
	return m, nil
}
