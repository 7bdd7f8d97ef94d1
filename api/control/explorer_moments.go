package control

import (
	"strings"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// moveNames are the kinds of messages of a run in the protocol.
var moveNames = map[replica.MoveKind]string{
	replica.MoveIngress: "ingress", replica.MoveRequest: "request", replica.MoveResponse: "response", replica.MoveTask: "task", replica.MoveResume: "resume",
}

// addMoments adds the states of a run to the answer of its replay.
func addMoments(out *controlv1.ReplayScheduleResponse, c *campaign.Config, f *campaign.Finding) error {
	moments, more, err := f.Moments(c)
	if err != nil {
		return explorationRefused.Refuse(err)
	}
	for i := range moments {
		out.Moments = append(out.Moments, shownMoment(&moments[i]))
	}
	out.MoreMoments = uint64(more)
	return nil
}

// shownMoment returns the message for a state of a run.
func shownMoment(m *campaign.Moment) *controlv1.ExploreMoment {
	out := &controlv1.ExploreMoment{Value: valid(m.Value), Line: valid(m.Line)}
	for _, o := range m.Observed {
		out.Observed = append(out.Observed, &controlv1.ExploreObservation{CanisterId: o.Canister.String(), Query: valid(o.Query), Value: valid(o.Value)})
	}
	for _, why := range m.Broken {
		out.Broken = append(out.Broken, valid(why))
	}
	s := m.Step
	if s == nil {
		return out
	}
	out.Message, out.Kind, out.CanisterId, out.Method = s.Move, moveNames[s.Kind], s.Canister.String(), s.Method
	if m.Sender.Len() > 0 || s.Kind == replica.MoveRequest || s.Kind == replica.MoveResponse {
		out.Sender = m.Sender.String() // the management canister has an empty principal
	}
	if s.Rejected != nil {
		out.Reject = valid(s.Rejected.String())
	}
	if s.Failure != nil {
		out.Trap = valid(s.Failure.String())
	}
	if s.Fault != harness.NoFault {
		out.Fault = s.Fault.Words()
	}
	if s.Waited > 0 {
		out.Waited = &durationpb.Duration{Seconds: int64(s.Waited / 1e9), Nanos: int32(s.Waited % 1e9)}
	}
	for _, call := range s.Calls {
		out.Calls = append(out.Calls, call.Name)
	}
	return out
}

// valid returns a text of a canister as a string of the protocol.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
