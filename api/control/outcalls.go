package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

// ListOutcalls lists the HTTP outcalls that wait for an answer.
func (s *messages) ListOutcalls(ctx context.Context, in *controlv1.ListOutcallsRequest) (*controlv1.ListOutcallsResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	page, err := readPage(in.GetPage(), "")
	if err != nil {
		return nil, err
	}
	all, err := i.Driver().Outcalls(ctx)
	if err != nil {
		return nil, err
	}
	places := placesOf(i, all)
	first := slices.IndexFunc(places, func(at introspect.Cursor) bool {
		return at.Subnet > page.After.Subnet || at.Subnet == page.After.Subnet && at.ID > page.After.ID
	})
	out := &controlv1.ListOutcallsResponse{}
	if first < 0 {
		return out, nil
	}
	all, places = all[first:], places[first:]
	shown := within(min(page.Limit, len(all)), func(at int) int { return len(all[at].Request.Body) })
	for at := range all[:shown] {
		out.Outcalls = append(out.Outcalls, shownOutcall(&all[at]))
	}
	if shown < len(all) {
		out.NextPageToken = pageToken(&places[shown-1])
	}
	return out, nil
}

// placesOf returns the places of outcalls in their list: the first has a number above 0.
func placesOf(i *instance.Instance, all []driver.Outcall) []introspect.Cursor {
	position := make(map[principal.Principal]int)
	for at, subnet := range i.Driver().View().Subnets {
		position[subnet.ID] = at
	}
	places := make([]introspect.Cursor, len(all))
	for at := range all {
		places[at] = introspect.Cursor{Subnet: position[all[at].Subnet], ID: all[at].Number + 1}
	}
	return places
}

func shownOutcall(o *driver.Outcall) *controlv1.Outcall {
	shown := &controlv1.Outcall{
		SubnetId: o.Subnet.String(), Number: o.Number, Nodes: uint32(o.Nodes), CanisterId: o.Request.Canister.String(),
		Url: o.Request.URL, Method: o.Request.Method, Body: o.Request.Body, MaxResponseBytes: o.Request.MaxResponse,
		Incarnation: shownGeneration(o.Generation),
	}
	if o.Request.Flexible() {
		shown.Nodes = uint32(len(o.Request.Members)) // each makes the request, and may answer
	}
	for _, h := range o.Request.Headers {
		shown.Headers = append(shown.Headers, &controlv1.HttpHeader{Name: h[0], Value: h[1]})
	}
	return shown
}

// AnswerOutcall answers an HTTP outcall.
func (s *messages) AnswerOutcall(ctx context.Context, in *controlv1.AnswerOutcallRequest) (*controlv1.AnswerOutcallResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	subnet, err := readPrincipal("subnet_id", in.GetSubnetId())
	if err != nil {
		return nil, err
	}
	answer := &replica.HTTPAnswer{Subnet: *subnet, Number: in.GetNumber()}
	for _, a := range in.GetAnswers() {
		one, err := readOutcallAnswer(a)
		if err != nil {
			return nil, err
		}
		answer.Answers = append(answer.Answers, one)
	}
	err = answerOutcall(ctx, i.Driver(), in.GetIncarnation(), answer)
	refused, ok := errors.AsType[*refusal.Refusal](err)
	if !ok {
		return &controlv1.AnswerOutcallResponse{}, err
	}
	pending, err := i.Driver().Outcalls(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(pending, func(o driver.Outcall) bool { return o.Subnet == *subnet && o.Number == in.GetNumber() }) {
		return nil, outcallUnknown.Refuse(refused.Text)
	}
	return nil, badOutcall.Refuse(refused.Text)
}

// answerOutcall answers the outcall of a generation, or the one that has the number now.
func answerOutcall(ctx context.Context, d *driver.Driver, generation string, answer *replica.HTTPAnswer) error {
	if generation == "" {
		return d.Answer(ctx, answer)
	}
	of, err := readGeneration(generation)
	if err != nil {
		return err
	}
	err = d.AnswerOf(ctx, of, answer)
	if errors.Is(err, driver.ErrRestored) {
		what := fmt.Sprintf("HTTP outcall %d of subnet %s with incarnation %s", answer.Number, answer.Subnet, generation)
		return otherGeneration.Refuse(what, "ListOutcalls says which outcalls wait now")
	}
	return err
}

// shownGeneration formats a generation for readGeneration. The API calls generations incarnations.
func shownGeneration(n uint64) string { return fmt.Sprintf("%016x", n) }

func readGeneration(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 16, 64)
	if err != nil || shownGeneration(n) != text {
		return 0, BadField.Refuse("incarnation", quoted(text), "expected the incarnation of an outcall of ListOutcalls, or empty")
	}
	return n, nil
}

func readOutcallAnswer(in *controlv1.OutcallAnswer) (a replica.OutcallAnswer, err error) {
	switch says := in.GetAnswer().(type) {
	case *controlv1.OutcallAnswer_Response:
		status := says.Response.GetStatus()
		if status < http.StatusContinue || status > 999 {
			return a, BadField.Refuse("answers.response.status", status, "an HTTP status has three digits")
		}
		a.Status, a.Body = uint16(status), says.Response.GetBody()
		for _, h := range says.Response.GetHeaders() {
			a.Headers = append(a.Headers, [2]string{h.GetName(), h.GetValue()})
		}
		return a, nil
	case *controlv1.OutcallAnswer_Reject:
		a.Reject = &intercanister.Reject{Code: intercanister.RejectCode(says.Reject.GetCode()), Text: says.Reject.GetText()}
		return a, nil
	}
	return a, MissingField.Refuse("answers.answer", "a response or a reject")
}
