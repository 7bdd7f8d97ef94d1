package control

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
	"github.com/canisterd/canisterd/replica/sched"
)

const (
	// defaultMoves and maxMoves are how many moves ListMoves lists where the request
	// does not say, and at most. Ours.
	defaultMoves = 1000
	maxMoves     = 10_000
)

// noMove takes what was asked for and how many moves there are.
var noMove = reason("NO_SUCH_MOVE", codes.NotFound, "%s is none of the %d deliveries that may happen next: Clock.ListMoves lists them", "", "moves")

// ListMoves opens a round and lists the deliveries that may happen next.
func (s *clock) ListMoves(ctx context.Context, in *controlv1.ListMovesRequest) (*controlv1.ListMovesResponse, error) {
	i, err := s.byHand(in.GetInstance(), "listing moves")
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
	choices, err := i.Node().Choices(ctx)
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

var moveKinds = map[sched.Kind]controlv1.MoveKind{
	sched.Task:     controlv1.MoveKind_MOVE_KIND_TASK,
	sched.Response: controlv1.MoveKind_MOVE_KIND_RESPONSE,
	sched.Ingress:  controlv1.MoveKind_MOVE_KIND_INGRESS,
	sched.Request:  controlv1.MoveKind_MOVE_KIND_REQUEST,
	sched.Resume:   controlv1.MoveKind_MOVE_KIND_RESUME,
}

func shownMove(a *replica.Ahead) *controlv1.Move {
	m := &controlv1.Move{
		SubnetId: a.Subnet.String(), CanisterId: a.Receiver.String(), Kind: moveKinds[a.Move.Kind], Number: a.Move.Number, Method: a.Method,
	}
	if a.Move.Kind == sched.Request {
		m.Sender = a.Sender.String()
	}
	return m
}

// StepMessage makes one delivery.
func (s *clock) StepMessage(ctx context.Context, in *controlv1.StepMessageRequest) (*controlv1.StepMessageResponse, error) {
	i, err := s.byHand(in.GetInstance(), "stepping")
	if err != nil {
		return nil, err
	}
	choose, what, err := chooser(in)
	if err != nil {
		return nil, err
	}
	left := make(chan int, 1)
	done, err := i.Node().Step(ctx, func(c node.Choices) int {
		left <- len(c.Ahead)
		return choose(c)
	})
	if err != nil {
		return nil, err
	}
	if !done.Moved && !done.Closed {
		return nil, noMove.Refuse(what, <-left)
	}
	out := &controlv1.StepMessageResponse{RoundClosed: done.Closed, Busy: done.Busy, Time: stamp(done.Time), Height: done.Height}
	if done.Moved {
		out.Made = shownMove(&done.Made)
	}
	return out, nil
}

// chooser is how a request chooses a move, and what it wants in words.
func chooser(in *controlv1.StepMessageRequest) (choose func(node.Choices) int, what string, err error) {
	switch c := in.GetChoice().(type) {
	case *controlv1.StepMessageRequest_Position:
		return func(node.Choices) int { return int(c.Position) }, "position " + decimal(uint64(c.Position)), nil
	case *controlv1.StepMessageRequest_Drawn:
		return func(choices node.Choices) int { return drawn(c.Drawn, choices) }, "", nil
	case *controlv1.StepMessageRequest_Move:
		want, err := readMove(c.Move)
		if err != nil {
			return nil, "", err
		}
		return want.find, "the move asked for", nil
	}
	return func(node.Choices) int { return 0 }, "", nil
}

// drawn draws a position. The moves take part in the draw, so that a client that steps
// with one seed does not take the same position again and again.
func drawn(seed uint64, c node.Choices) int {
	if len(c.Ahead) == 0 {
		return 0
	}
	h := fnv.New64a()
	h.Write(binary.BigEndian.AppendUint64(nil, c.Height))
	for i := range c.Ahead {
		m := &c.Ahead[i].Move
		h.Write(m.Receiver[:])
		h.Write(m.Sender[:])
		h.Write(binary.BigEndian.AppendUint64([]byte{byte(m.Kind)}, m.Number))
	}
	return rand.New(rand.NewPCG(seed, h.Sum64())).IntN(len(c.Ahead))
}

// wantedMove is a move by those of its fields that are set.
type wantedMove struct {
	subnet, receiver, sender *principal.Principal
	kind                     controlv1.MoveKind
	number                   uint64
	method                   string
}

func readMove(in *controlv1.Move) (w wantedMove, err error) {
	w = wantedMove{kind: in.GetKind(), number: in.GetNumber(), method: in.GetMethod()}
	if _, ok := controlv1.MoveKind_name[int32(w.kind)]; !ok {
		return w, BadField.Refuse("move.kind", w.kind, "it must be one of MoveKind")
	}
	for _, p := range []struct {
		field, text string
		to          **principal.Principal
	}{
		{"move.subnet_id", in.GetSubnetId(), &w.subnet}, {"move.canister_id", in.GetCanisterId(), &w.receiver}, {"move.sender", in.GetSender(), &w.sender},
	} {
		if p.text == "" {
			continue
		}
		if *p.to, err = readPrincipal(p.field, p.text); err != nil {
			return w, err
		}
	}
	return w, nil
}

// find is the position of the first such move, negative where there is none.
func (w wantedMove) find(c node.Choices) int {
	for i := range c.Ahead {
		a := &c.Ahead[i]
		switch {
		case w.subnet != nil && *w.subnet != a.Subnet, w.receiver != nil && *w.receiver != a.Receiver,
			w.sender != nil && (*w.sender != a.Sender || a.Move.Kind != sched.Request),
			w.kind != 0 && w.kind != moveKinds[a.Move.Kind], w.number != 0 && w.number != a.Move.Number,
			w.method != "" && w.method != a.Method:
			continue
		}
		return i
	}
	return -1
}
