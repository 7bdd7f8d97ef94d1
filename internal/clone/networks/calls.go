package networks

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Calls returns the calls that a canister made for the newest messages of users, as far as the instance remembers them.
func (i Instance) Calls(ctx context.Context, canister principal.Principal) ([]clone.Call, error) {
	got, err := i.Daemon.Events.GetTrace(ctx, &controlv1.GetTraceRequest{
		Instance: i.Name, Of: &controlv1.GetTraceRequest_Since{Since: &timestamppb.Timestamp{}}, IncludeBytes: true,
	})
	if remote.IsNotFound(err) {
		return nil, nil // no message is remembered
	}
	if err != nil {
		return nil, err
	}
	return callsOf(canister.String(), got.GetCalls()), nil
}

// callsOf returns the calls of a canister in call trees. Arguments that are too long to be remembered are left out.
func callsOf(caller string, trees []*controlv1.TraceCall) (all []clone.Call) {
	for _, tree := range trees {
		callee, err := principal.Parse(tree.GetCanisterId())
		if err == nil && tree.GetCaller() == caller && uint64(len(tree.GetArgumentBytes())) == tree.GetArgumentSize() {
			all = append(all, clone.Call{Callee: callee, Query: clone.Query{Method: tree.GetMethod(), Argument: tree.GetArgumentBytes()}})
		}
		for _, execution := range tree.GetExecutions() {
			all = append(all, callsOf(caller, execution.GetCalls())...)
		}
	}
	return all
}
