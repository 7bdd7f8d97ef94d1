package control

import (
	"context"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/refusal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// messages is the service Messages.
type messages struct {
	controlv1.UnimplementedMessagesServer
	*Server
}

// Reasons of the service Messages. Each takes the network's own text.
var (
	badRule        = reason("BAD_RULE", codes.InvalidArgument, "%s")
	tooManyRules   = reason("TOO_MANY_RULES", codes.ResourceExhausted, "%s")
	ruleUnknown    = reason("RULE_UNKNOWN", codes.NotFound, "%s")
	heldUnknown    = reason("HELD_UNKNOWN", codes.NotFound, "%s")
	heldOrder      = reason("HELD_BEHIND_ANOTHER", codes.FailedPrecondition, "%s")
	guaranteed     = reason("GUARANTEED_RESPONSE", codes.FailedPrecondition, "%s")
	badAnswer      = reason("BAD_ANSWER", codes.InvalidArgument, "%s")
	callUnknown    = reason("CALL_UNKNOWN", codes.NotFound, "%s")
	callTooFar     = reason("CALL_PAST_SETTLING", codes.FailedPrecondition, "%s")
	timerUnknown   = reason("TIMER_CANISTER_UNKNOWN", codes.NotFound, "%s")
	timerInactive  = reason("TIMER_NOT_ACTIVE", codes.FailedPrecondition, "%s")
	outcallUnknown = reason("OUTCALL_UNKNOWN", codes.NotFound, "%s")
	badOutcall     = reason("BAD_OUTCALL_ANSWER", codes.InvalidArgument, "%s")
)

// refusals maps kinds of refusals, with which the network answers an input, to reasons.
type refusals map[refusal.Kind]*Reason

// apply applies an input to the network of an instance.
func (s *Server) apply(ctx context.Context, name string, in replica.Input, why refusals) (replica.Result, error) {
	i, err := s.instance(name)
	if err != nil {
		return replica.Result{}, err
	}
	return applyTo(ctx, i, in, why)
}

func applyTo(ctx context.Context, i *instance.Instance, in replica.Input, why refusals) (replica.Result, error) {
	result, err := i.Driver().Apply(ctx, in)
	switch {
	case err != nil:
		return result, err
	case result.Refusal == nil:
		return result, nil
	case why[result.Refusal.Kind] != nil:
		return result, why[result.Refusal.Kind].Refuse(result.Refusal.Text)
	}
	return result, result.Refusal
}

// FireTimer makes the global timer of a canister due in the next round.
func (s *messages) FireTimer(ctx context.Context, in *controlv1.FireTimerRequest) (*controlv1.FireTimerResponse, error) {
	id, err := readPrincipal("canister_id", in.GetCanisterId())
	if err != nil {
		return nil, err
	}
	_, err = s.apply(ctx, in.GetInstance(), replica.FireTimer{Canister: *id}, refusals{refusal.NotFound: timerUnknown, refusal.Conflict: timerInactive})
	return &controlv1.FireTimerResponse{}, err
}

// CancelTimer makes the global timer of a canister inactive.
func (s *messages) CancelTimer(ctx context.Context, in *controlv1.CancelTimerRequest) (*controlv1.CancelTimerResponse, error) {
	id, err := readPrincipal("canister_id", in.GetCanisterId())
	if err != nil {
		return nil, err
	}
	_, err = s.apply(ctx, in.GetInstance(), replica.CancelTimer{Canister: *id}, refusals{refusal.NotFound: timerUnknown, refusal.Conflict: timerInactive})
	return &controlv1.CancelTimerResponse{}, err
}

// readAny parses an optional principal, nil if it is empty.
func readAny(field, text string) (*principal.Principal, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // nil is any principal
	}
	return readPrincipal(field, text)
}
