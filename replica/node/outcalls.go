package node

import (
	"context"

	"github.com/canisterd/canisterd/replica"
)

// OutcallsMade has a value when canisters have made HTTP outcalls since the last
// was taken. One reader may wait for it.
func (n *Node) OutcallsMade() <-chan struct{} { return n.outcallsMade }

// announce says that there are new outcalls, where there are.
func (n *Node) announce() {
	made := n.network.OutcallsMade()
	if made == n.outcalls {
		return
	}
	n.outcalls = made
	select {
	case n.outcallsMade <- struct{}{}:
	default:
	}
	if n.config.Called != nil {
		n.config.Called()
	}
}

// Outcalls are the HTTP outcalls that wait for an answer, by subnet and number.
func (n *Node) Outcalls(ctx context.Context) ([]replica.PendingOutcall, error) {
	pending := make(chan []replica.PendingOutcall, 1)
	if err := n.ask(ctx, func(n *Node) { pending <- n.network.Outcalls() }); err != nil {
		return nil, err
	}
	return <-pending, nil
}

// Answer answers an HTTP outcall. The transforms of the canister that made it run
// as queries do, beside the network. The error is a *replica.Refusal where the
// outcall is not pending, or the answer is malformed; it may have been answered, or
// have timed out, while transforms ran.
func (n *Node) Answer(ctx context.Context, in *replica.HTTPAnswer) error {
	type received struct {
		receptions []*replica.Reception
		refusal    *replica.Refusal
	}
	done := make(chan received, 1)
	err := n.ask(ctx, func(n *Node) {
		receptions, refusal := n.network.Receive(in)
		done <- received{receptions, refusal}
	})
	if err != nil {
		return err
	}
	got := <-done
	if got.refusal != nil {
		return got.refusal
	}
	answer := *in
	answer.Contents = make([]replica.OutcallContent, len(got.receptions))
	for i, r := range got.receptions {
		if r.Query != nil {
			result, err := n.Query(ctx, r.Query)
			if err != nil {
				return err
			}
			r.Take(result)
		}
		answer.Contents[i] = r.Content
	}
	result, err := n.Apply(ctx, &answer)
	if err == nil && result.Refusal != nil {
		return result.Refusal
	}
	return err
}
