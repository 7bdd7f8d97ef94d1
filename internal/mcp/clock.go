package mcp

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// timeInput is what time takes.
type timeInput struct {
	Advance  string  `json:"advance,omitempty" jsonschema:"a duration such as 7d, or next-timer"`
	Rounds   uint32  `json:"rounds,omitempty" jsonschema:"rounds to run at the present time"`
	Steps    *uint32 `json:"steps,omitempty" jsonschema:"single deliveries to make, with manual pacing; 0 lists what may be next"`
	Instance string  `json:"instance,omitempty"`
	detailed
}

// stamp returns a time of a network for people.
func stamp(t *timestamppb.Timestamp) string {
	return t.AsTime().UTC().Format("2006-01-02T15:04:05.999999999Z")
}

// time lets time pass, and tells it. It observes what changes meanwhile.
func (s *Server) time(ctx context.Context, in timeInput) (string, error) {
	n := s.namesOf(s.instanceOf(in.Instance))
	all, _, err := s.canisters(ctx, n)
	if err != nil {
		return "", err
	}
	before := s.observe(ctx, n, all)
	did, err := s.pass(ctx, n, in)
	if err != nil {
		return "", err
	}
	now, err := s.Daemon.Clock.GetTime(ctx, &controlv1.GetTimeRequest{Instance: n.instance})
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s after %d rounds", stamp(now.GetTime()), now.GetHeight())
	if now.GetNextTimer() != nil {
		text += ", next timer " + stamp(now.GetNextTimer())
	}
	if changed := changes(before, s.observe(ctx, n, all)); changed != "" {
		text += "\nchanged\n" + changed
	}
	return did + text, nil
}

// pass lets time pass, runs rounds or makes steps, and says what it did.
func (s *Server) pass(ctx context.Context, n *names, in timeInput) (string, error) {
	var text strings.Builder
	if in.Advance != "" {
		advance := &controlv1.AdvanceTimeRequest{Instance: n.instance, By: &controlv1.AdvanceTimeRequest_ToNextTimer{ToNextTimer: true}}
		if in.Advance != "next-timer" {
			by, err := quantity.ParseDuration(strings.TrimPrefix(in.Advance, "+"))
			if err != nil {
				return "", err
			}
			advance.By = &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(by)}
		}
		s.recordMove(n.instance)
		moved, err := s.Daemon.Clock.AdvanceTime(ctx, advance)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "%d rounds, %d messages\n", moved.GetRounds(), moved.GetMessages())
	}
	if in.Rounds > 0 {
		s.recordMove(n.instance)
		ran, err := s.Daemon.Clock.RunRounds(ctx, &controlv1.RunRoundsRequest{Instance: n.instance, Rounds: in.Rounds})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "%d messages\n", ran.GetMessages())
	}
	if in.Steps != nil {
		if err := s.step(ctx, n, *in.Steps, &text); err != nil {
			return "", err
		}
	}
	return text.String(), nil
}

// step makes single deliveries, and then lists those that may be next.
func (s *Server) step(ctx context.Context, n *names, steps uint32, text *strings.Builder) error {
	describe := func(m *controlv1.Move) string {
		kind := strings.ToLower(strings.TrimPrefix(m.GetKind().String(), "MOVE_KIND_"))
		return strings.TrimSpace(fmt.Sprintf("%s of %s %s", kind, n.name(m.GetCanisterId()), m.GetMethod()))
	}
	for range steps {
		s.recordMove(n.instance)
		made, err := s.Daemon.Clock.StepMessage(ctx, &controlv1.StepMessageRequest{Instance: n.instance})
		if err != nil {
			return err
		}
		if made.GetMade() == nil {
			text.WriteString("the round is closed\n")
			continue
		}
		text.WriteString("made the " + describe(made.GetMade()) + "\n")
	}
	next, err := s.Daemon.Clock.ListMoves(ctx, &controlv1.ListMovesRequest{Instance: n.instance})
	if err != nil {
		return err
	}
	for i, m := range next.GetMoves() {
		if i == maxListed {
			fmt.Fprintf(text, "and %d more may be next\n", len(next.GetMoves())-i)
			break
		}
		text.WriteString("next may be the " + describe(m) + "\n")
	}
	return nil
}
