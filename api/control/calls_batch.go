package control

import (
	"context"
	"encoding/hex"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// batchFull takes the limit and what to do.
var batchFull = reason("BATCH_FULL", codes.ResourceExhausted, "the call was made, but there is no room for its outcome: the outcomes of a batch can total at most %d bytes: %s", "limit")

// Batch makes calls in order. All are submitted before it waits for the first.
func (s *calls) Batch(ctx context.Context, in *controlv1.BatchRequest) (*controlv1.BatchResponse, error) {
	instance, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	batch := in.GetCalls()
	if len(batch) > MaxBatch {
		return nil, BadField.Refuse("calls", strconv.Itoa(len(batch))+" calls", "at most "+strconv.Itoa(MaxBatch)+" are made at once")
	}
	results, room := make([]*controlv1.BatchResult, len(batch)), batchRoom
	waits := make([]func() (*controlv1.Outcome, error), len(batch))
	for i, c := range batch {
		outcome, wait, err := s.begin(ctx, instance, c.GetCall(), c.GetQuery())
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		results[i], waits[i] = room.take(resultOf(outcome, err)), wait
	}
	for i, wait := range waits {
		if wait == nil {
			continue
		}
		outcome, err := wait()
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		results[i] = room.take(resultOf(outcome, err))
	}
	return &controlv1.BatchResponse{Results: results}, nil
}

// batchBytes is how many more bytes the outcomes of a batch may have together.
type batchBytes int

// batchRoom leaves room for failures in place of outcomes.
const batchRoom batchBytes = MaxResponseBytes - MaxBatch*(maxErrorText+100)

// take returns a result, or a failure if there is not enough memory for it. The call was made.
func (left *batchBytes) take(result *controlv1.BatchResult) *controlv1.BatchResult {
	size := proto.Size(result)
	if result.GetOutcome() == nil || size <= int(*left) {
		*left -= batchBytes(size)
		return result
	}
	instead := "make the query again, alone"
	if id := result.GetOutcome().GetRequestId(); len(id) > 0 {
		instead = "call Await for request " + hex.EncodeToString(id)
	}
	return &controlv1.BatchResult{Failure: failureOf(batchFull.Refuse(batchRoom, instead))}
}

// begin makes a call as far as it can without waiting. wait is not nil if the outcome is still to come.
func (s *calls) begin(ctx context.Context, i *instance.Instance, c *controlv1.Call, query bool) (outcome *controlv1.Outcome, wait func() (*controlv1.Outcome, error), err error) {
	o, err := s.prepareCall(ctx, i, c)
	if err != nil {
		return nil, nil, err
	}
	if query {
		outcome, err = o.query(ctx)
		return outcome, nil, err
	}
	id, reject, err := o.submit(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case reject != nil:
		return rejectedAtIngress(o, reject), nil, nil
	}
	return nil, func() (*controlv1.Outcome, error) { return o.outcome(ctx, id) }, nil
}

// outcome waits for the outcome of a submitted call.
func (o *preparedCall) outcome(ctx context.Context, id replica.RequestID) (*controlv1.Outcome, error) {
	a, err := o.await(ctx, id)
	if err != nil {
		return nil, err
	}
	return outcomeOf(id, &a, o.form, o.described), nil
}

func resultOf(outcome *controlv1.Outcome, err error) *controlv1.BatchResult {
	if err != nil {
		return &controlv1.BatchResult{Failure: failureOf(err)}
	}
	return &controlv1.BatchResult{Outcome: outcome}
}

// failureOf returns an error as part of an answer.
func failureOf(err error) *controlv1.Failure {
	refused := refusalOf(err)
	if refused == nil {
		refused = Unexpected.Refuse(err)
	}
	return &controlv1.Failure{Code: int32(refused.Reason.Code), Reason: refused.Reason.Name, Message: refused.Text}
}
