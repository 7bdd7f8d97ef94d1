package control

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// scheduleRefused takes the error of a schedule that cannot be replayed in this network.
var scheduleRefused = reason("SCHEDULE_REFUSED", codes.InvalidArgument, "%v")

// ReplaySchedule replays the schedule of a finding.
func (s *explorer) ReplaySchedule(ctx context.Context, in *controlv1.ReplayScheduleRequest) (*controlv1.ReplayScheduleResponse, error) {
	if n := len(in.GetProperties().GetAsked()); n > 0 {
		return nil, BadField.Refuse("properties.asked", n, "ReplaySchedule cannot ask the client: ReplayAsking can")
	}
	return s.replay(ctx, in, func(*campaign.Config) (func(), error) { return func() {}, nil })
}

// ReplayAsking replays the schedule of a finding, and asks the client about its properties.
func (s *explorer) ReplayAsking(in *controlv1.ReplayAskingRequest, stream grpc.ServerStreamingServer[controlv1.ReplayAskingResponse]) error {
	ctx, done := s.until(stream.Context())
	defer done()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	out := newOutbox(ctx, end, stream.Send)
	replayed, err := s.replay(ctx, in.GetReplay(), func(c *campaign.Config) (func(), error) {
		return s.connectClient(ctx, end, c, in.GetReplay().GetProperties(), func(q *controlv1.ExploreQuestions) error {
			return out.send(&controlv1.ReplayAskingResponse{Step: &controlv1.ReplayAskingResponse_Questions{Questions: q}})
		})
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	}
	return out.send(&controlv1.ReplayAskingResponse{Step: &controlv1.ReplayAskingResponse_Replayed{Replayed: replayed}})
}

// replay replays a schedule. It calls ready once the configuration is read, and what that returns at the end.
func (s *explorer) replay(ctx context.Context, in *controlv1.ReplayScheduleRequest, ready func(*campaign.Config) (func(), error)) (*controlv1.ReplayScheduleResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	file, err := schedule.Read([]byte(in.GetSchedule()))
	if err != nil {
		return nil, scheduleRefused.Refuse(err)
	}
	base, err := i.Frozen(ctx, in.GetSnapshot())
	if err != nil {
		return nil, err
	}
	defer base.Close()
	c := &campaign.Config{Seed: file.Seed, Expired: func() bool { return ctx.Err() != nil }}
	names, err := readProperties(c, in, base)
	if err != nil {
		return nil, err
	}
	names.Canister = campaign.Named(file, names.Canister)
	file.Property = names.Title(file.Property)
	if p, err := names.ParseInvariant(file.Property); err == nil {
		c.Properties = append(c.Properties, p)
	}
	if c.Setup.Operations, err = campaign.Operations(file, names.Canister); err != nil {
		return nil, scheduleRefused.Refuse(err)
	}
	if err := readOutside(c, in, names); err != nil {
		return nil, err
	}
	if c.Before, err = campaign.Before(file, names.Canister); err != nil {
		return nil, scheduleRefused.Refuse(err)
	}
	run, err := c.OfFile(file, names.Canister)
	if err != nil {
		return nil, scheduleRefused.Refuse(err)
	}
	end, err := ready(c)
	if err != nil {
		return nil, err
	}
	defer end()
	done, err := prepare(c)
	if err != nil {
		return nil, err
	}
	defer done()
	out, err := replayResponse(c, file, run, in)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out, err
}

// replayOutcomes are the outcomes of replays in the protocol.
var replayOutcomes = map[campaign.Outcome]controlv1.ReplayOutcome{
	campaign.StillFails: controlv1.ReplayOutcome_REPLAY_OUTCOME_STILL_FAILS,
	campaign.Fixed:      controlv1.ReplayOutcome_REPLAY_OUTCOME_FIXED,
	campaign.Stale:      controlv1.ReplayOutcome_REPLAY_OUTCOME_STALE,
}

// replayResponse runs a schedule, and returns the response with its outcome.
func replayResponse(c *campaign.Config, file *schedule.File, run *campaign.Schedule, in *controlv1.ReplayScheduleRequest) (*controlv1.ReplayScheduleResponse, error) {
	again, err := campaign.Replay(c, run)
	if err != nil {
		return nil, explorationRefused.Refuse(err)
	}
	f, err := again.Finding(run, file.Property)
	if err != nil {
		return nil, explorationRefused.Refuse(err)
	}
	out := &controlv1.ReplayScheduleResponse{Outcome: replayOutcomes[f.Outcome]}
	if f.Outcome == campaign.StillFails {
		if err := campaign.Shorten(c, f); err != nil {
			return nil, explorationRefused.Refuse(err)
		}
		text, err := schedule.Write(f.File(c))
		if err != nil {
			return nil, err
		}
		out.Schedule = string(text)
	}
	out.Differences, out.Exceptions = shownDifferences(f), f.Exceptions(&c.Setup)
	out.Explanation, out.Mermaid, out.Svg = f.Explain(&c.Setup), f.Mermaid(&c.Setup), f.SVG(&c.Setup)
	if in.GetIncludeMoments() {
		if err := addMoments(out, c, f); err != nil {
			return nil, err
		}
	}
	if in.GetHtml() {
		out.Html, err = f.Page(c)
	}
	return out, err
}
