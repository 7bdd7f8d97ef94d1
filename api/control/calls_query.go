package control

import (
	"context"

	"github.com/canisterd/canisterd/api"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Query makes a query call.
func (s *calls) Query(ctx context.Context, in *controlv1.QueryRequest) (*controlv1.QueryResponse, error) {
	o, err := s.prepareCallTo(ctx, in.GetInstance(), in.GetCall())
	if err != nil {
		return nil, err
	}
	outcome, err := o.query(ctx)
	if err != nil {
		return nil, err
	}
	return &controlv1.QueryResponse{Outcome: outcome}, nil
}

func (o *preparedCall) query(ctx context.Context) (*controlv1.Outcome, error) {
	result, err := o.instance.Backend().Query(ctx, &api.Query{
		Sender: o.sender, Receiver: o.receiver, Effective: o.effective, Method: o.method, Arg: o.arg,
	})
	if err != nil {
		return nil, err
	}
	out := &controlv1.Outcome{Instructions: result.Instructions, Time: stamp(result.Time)}
	if result.Reject != nil {
		out.Answer = &controlv1.Outcome_Reject{Reject: rejectOf(result.Reject, result.Backtrace, o.receiver)}
	} else {
		out.Answer = &controlv1.Outcome_Reply{Reply: valueOf(result.Reply, o.form, o.described)}
	}
	return out, nil
}
