package control

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// GetHistory returns the content of an instance's journal, in pages. The token is a position in the journal.
func (s *instances) GetHistory(ctx context.Context, in *controlv1.GetHistoryRequest) (*controlv1.GetHistoryResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	if in.GetPageSize() > MaxPage {
		return nil, BadField.Refuse("page_size", in.GetPageSize(), fmt.Sprintf("expected at most %d, or 0 for %d", MaxPage, DefaultPage))
	}
	part := instance.HistoryPart{Most: int(cmp.Or(in.GetPageSize(), DefaultPage)), OnlyMarks: in.GetOnlyMarks()}
	if token := in.GetPageToken(); token != "" {
		if part.After, err = strconv.ParseUint(token, 10, 64); err != nil {
			return nil, BadField.Refuse("page_token", fmt.Sprintf("%.100q", token), "expected the next_page_token of the page before")
		}
	}
	h, err := i.History(ctx, part)
	if err != nil {
		return nil, err
	}
	out := &controlv1.GetHistoryResponse{FirstHeight: h.First, FirstTime: known(h.Begins), LastHeight: h.Last, LastTime: known(h.Ends)}
	for _, c := range h.Checkpoints {
		out.Checkpoints = append(out.Checkpoints, &controlv1.Checkpoint{Height: c.Height, Time: known(c.Time), Made: timestamppb.New(c.Made), Bytes: uint64(c.Bytes)})
	}
	for n := range h.Accepted {
		out.Inputs = append(out.Inputs, acceptedInput(&h.Accepted[n]))
	}
	if h.More {
		out.NextPageToken = strconv.FormatUint(h.Accepted[len(h.Accepted)-1].Position+1, 10)
	}
	return out, nil
}

// MarkHistory marks the present of an instance.
func (s *instances) MarkHistory(ctx context.Context, in *controlv1.MarkHistoryRequest) (*controlv1.MarkHistoryResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	made, err := i.Mark(ctx, in.GetMark())
	if err != nil {
		return nil, err
	}
	return &controlv1.MarkHistoryResponse{Input: acceptedInput(&made)}, nil
}

// known converts a time, unset if it is unknown.
func known(ns uint64) *timestamppb.Timestamp {
	if ns == 0 {
		return nil
	}
	return stamp(ns)
}

func acceptedInput(a *instance.Accepted) *controlv1.AcceptedInput {
	out := &controlv1.AcceptedInput{Height: a.Height, Time: known(a.Time), Kind: a.Kind, Text: a.Mark}
	if in, ok := a.Input.(*replica.Ingress); ok {
		out.RequestId, out.Sender, out.CanisterId, out.Method = in.ID[:], in.Sender.String(), in.Receiver.String(), in.Method
	}
	if trap := a.Trap; trap != nil {
		out.CanisterId, out.Method, out.ErrorCode, out.Text = trap.Canister.String(), trap.Method, trap.Code.String(), trap.Text
		if trap.Request != (replica.RequestID{}) {
			out.RequestId = trap.Request[:]
		}
	}
	return out
}
