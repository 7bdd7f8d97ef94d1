package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) timeCommand() *cobra.Command {
	var jump bool
	cmd := &cobra.Command{
		Use:   "time [+DURATION | next-timer | TIME]",
		Short: "Show or advance the time of an instance",
		Long: `Show the time of an instance and what is due next, or advance the time: by a DURATION
in w d h m s ms us ns, to the next timer of a canister (next-timer), or to a TIME.

What comes due on the way runs at its due time. With --jump it runs after the jump, as
with PocketIC's advance_time. The control API has the same default (AdvanceTime, jump).
Under a pacing that follows the wall clock (canisterd pacing), the instance stays that
far ahead of the wall clock from then on. Only canisterd instance restore goes back in
time.`,
		Example: `  canisterd time
  canisterd time +7d
  canisterd time 2130-01-01T00:00:00Z
  canisterd time next-timer`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			move, err := parseMove(first(args), jump)
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				if err := move(ctx, c, d); err != nil {
					return err
				}
				now, err := d.Clock.GetTime(ctx, &controlv1.GetTimeRequest{Instance: c.instance})
				if err != nil {
					return err
				}
				text := timeText(now)
				if jump && now.GetPacing().GetMode() == controlv1.PacingMode_PACING_MODE_MANUAL {
					text += ", the next round at " + stamp(now.GetNextRound())
				}
				if due := now.GetNextDue(); due != nil {
					text += ", next due " + stamp(due)
				}
				return c.print(text, now)
			})
		},
	}
	cmd.Flags().BoolVar(&jump, "jump", false, "run what comes due on the way after the jump, not at its due time")
	return cmd
}

// clockMove does what the argument of `canisterd time` says.
type clockMove func(ctx context.Context, c *cli, d *remote.Daemon) error

func parseMove(text string, jump bool) (clockMove, error) {
	advance := func(r *controlv1.AdvanceTimeRequest) clockMove {
		return func(ctx context.Context, c *cli, d *remote.Daemon) error {
			r.Instance, r.Jump = c.instance, jump
			done := c.passing(ctx, d)
			moved, err := d.Clock.AdvanceTime(ctx, r)
			done()
			if err == nil {
				c.note("%s, %s", count(moved.GetRounds(), "round"), count(moved.GetMessages(), "message"))
			}
			return err
		}
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return func(context.Context, *cli, *remote.Daemon) error { return nil }, nil
	case text == "next-timer":
		return advance(&controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_ToNextTimer{ToNextTimer: true}}), nil
	case strings.HasPrefix(text, "+"):
		by, err := quantity.ParseDuration(text[1:])
		if err != nil {
			return nil, err
		}
		return advance(&controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(by)}}), nil
	}
	if back, negative := strings.CutPrefix(text, "-"); negative {
		if _, err := quantity.ParseDuration(back); err == nil {
			return nil, fmt.Errorf("invalid time %q: time never goes back; +%s moves it forward, and a fork shows the past (canisterd instance fork NAME --at TIME)", text, back)
		}
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, fmt.Errorf("invalid time %q: expected +7d, next-timer or 2030-01-01T00:00:00Z", text)
	}
	return func(ctx context.Context, c *cli, d *remote.Daemon) error {
		if !jump {
			now, err := d.Clock.GetTime(ctx, &controlv1.GetTimeRequest{Instance: c.instance})
			if err != nil {
				return err
			}
			if !at.Before(now.GetNextRound().AsTime()) {
				return c.passUntil(ctx, d, at)
			}
		}
		if _, err := d.Clock.SetTime(ctx, &controlv1.SetTimeRequest{Instance: c.instance, Time: timestamppb.New(at)}); err != nil {
			return err
		}
		_, err := d.Clock.RunRounds(ctx, &controlv1.RunRoundsRequest{Instance: c.instance})
		return err
	}, nil
}

// passUntil lets time pass up to a time.
func (c *cli) passUntil(ctx context.Context, d *remote.Daemon, at time.Time) error {
	passed, err := d.Clock.RunUntil(ctx, &controlv1.RunUntilRequest{
		Instance: c.instance, Condition: &controlv1.RunUntilRequest_Time{Time: timestamppb.New(at)}, MaxRounds: math.MaxUint64,
	})
	if err == nil {
		c.note("%s, %s", count(passed.GetRounds(), "round"), count(passed.GetMessages(), "message"))
	}
	return err
}

// timeText formats the time of an instance, what moves it and its lead over the wall clock.
func timeText(now interface {
	GetTime() *timestamppb.Timestamp
	GetHeight() uint64
	GetPacing() *controlv1.Pacing
	GetOffset() *durationpb.Duration
},
) string {
	text := fmt.Sprintf("%s after %s, pacing %s", stamp(now.GetTime()), count(now.GetHeight(), "round"), pacingText(now.GetPacing()))
	if ahead := aheadText(now.GetOffset().AsDuration()); ahead != "" {
		text += ", " + ahead + " ahead of the wall clock"
	}
	return text
}

// aheadText formats an offset in days and the rest, to the second; "" for less than that.
func aheadText(offset time.Duration) string {
	offset = offset.Round(time.Second)
	days, rest := offset/(24*time.Hour), offset%(24*time.Hour)
	switch {
	case offset == 0:
		return ""
	case days == 0:
		return rest.String()
	case rest == 0:
		return fmt.Sprintf("%dd", days)
	}
	return fmt.Sprintf("%dd%s", days, rest)
}

func (c *cli) runCommand() *cobra.Command {
	var rounds uint64
	cmd := &cobra.Command{
		Use:   "run [idle | next-timer | TIME | REQUEST]",
		Short: "Run rounds until a condition holds (default: idle)",
		Long: `Run rounds until the instance has no work (idle, the default), the next timer has fired
(next-timer), a TIME is reached, or a request has a reply (its id in hex, or a prefix
of it). Waiting takes no real time: the clock of the instance is advanced. While
a request is awaited, it is advanced only under manual pacing.`,
		Example: `  canisterd run
  canisterd run next-timer
  canisterd run 039b45a8`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, prefix, err := parseUntil(first(args))
			if err != nil {
				return err
			}
			request.Instance, request.MaxRounds = c.instance, rounds
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				if prefix != "" {
					id, err := c.requestOf(ctx, d, prefix)
					if err != nil {
						return err
					}
					request.Condition = &controlv1.RunUntilRequest_RequestId{RequestId: id}
				}
				done := c.passing(ctx, d)
				ran, err := d.Clock.RunUntil(ctx, request)
				done()
				if err != nil {
					return err
				}
				return c.print(c.ran(ran), ran)
			})
		},
	}
	cmd.Flags().Uint64Var(&rounds, "max-rounds", 0, "maximum number of rounds (default: 1,000,000)")
	return cmd
}

// parseUntil parses what to run until, or the prefix of the request id to wait for.
func parseUntil(text string) (r *controlv1.RunUntilRequest, prefix string, err error) {
	switch text {
	case "", "idle":
		return &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_Idle{Idle: true}}, "", nil
	case "next-timer":
		return &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_NextTimer{NextTimer: true}}, "", nil
	}
	if prefix, err := requestPrefix(text); err == nil {
		return &controlv1.RunUntilRequest{}, prefix, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, "", fmt.Errorf("invalid condition %q: expected idle, next-timer, a time such as 2030-01-01T00:00:00Z, or a request id in hex", text)
	}
	return &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_Time{Time: timestamppb.New(at)}}, "", nil
}

func (c *cli) ran(r *controlv1.RunUntilResponse) string {
	text := fmt.Sprintf("%s, %s; it is %s", count(r.GetRounds(), "round"), count(r.GetMessages(), "message"), stamp(r.GetTime()))
	switch r.GetReason() {
	case controlv1.StopReason_STOP_REASON_IDLE:
		text += "; " + c.paint(yellow, "nothing more can happen")
		if r.GetHeldMessages() > 0 {
			text += fmt.Sprintf(", %s held (canisterd held)", count(r.GetHeldMessages(), "message"))
		}
		if r.GetOutcalls() > 0 {
			text += fmt.Sprintf(", %s without an answer (canisterd outcalls list)", count(r.GetOutcalls(), "HTTP outcall"))
		}
	case controlv1.StopReason_STOP_REASON_ROUNDS:
		text += "; " + c.paint(yellow, "stopped at the most rounds allowed (--max-rounds)")
	}
	if why := r.GetWaitsFor(); why != "" {
		text += "; the request is not answered: " + c.withNames(why)
	}
	return text
}

func (c *cli) step() *cobra.Command {
	var position int64
	var list bool
	cmd := &cobra.Command{
		Use:   "step",
		Short: "Make the next delivery, or list the possible ones",
		Long: `Make the next delivery, or list the possible ones: a message, a timer, a heartbeat, or the
next slice of a long message. This requires manual pacing (canisterd pacing manual).`,
		Example: `  canisterd step --list
  canisterd step --position 2`,
		Args: cobra.NoArgs,
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, _ []string) error {
			if list {
				moves, err := d.Clock.ListMoves(ctx, &controlv1.ListMovesRequest{Instance: c.instance})
				if err != nil {
					return err
				}
				return c.print(c.moves(moves.GetMoves()), moves)
			}
			request := &controlv1.StepMessageRequest{Instance: c.instance}
			if position >= 0 {
				request.Choice = &controlv1.StepMessageRequest_Position{Position: uint32(position)}
			}
			made, err := d.Clock.StepMessage(ctx, request)
			if err != nil {
				return err
			}
			text := "the round is closed"
			if made.GetMade() != nil {
				text = c.moves([]*controlv1.Move{made.GetMade()})
			}
			return c.print(text, made)
		}),
	}
	cmd.Flags().BoolVar(&list, "list", false, "list the possible deliveries")
	cmd.Flags().Int64Var(&position, "position", -1, "make the delivery at this position in the list (default: the oldest)")
	return cmd
}

func (c *cli) moves(moves []*controlv1.Move) string {
	t := c.table("", "CANISTER", "KIND", "METHOD", "FROM", "NUMBER")
	for i, m := range moves {
		t.row(fmt.Sprint(i), c.nameOf(m.GetCanisterId()), word(m.GetKind(), "MOVE_KIND_"),
			m.GetMethod(), c.nameOf(m.GetSender()), fmt.Sprint(m.GetNumber()))
	}
	return t.String()
}
