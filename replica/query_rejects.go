package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// The rejects of queries, with the replica's texts.

func rejectNoQueryReply(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterDidNotReply, "Canister %s did not produce a response", id)
}

func rejectCompositeTransform() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CompositeQueryCalledInReplicatedMode,
		"Composite query cannot be used as transform in canister http outcalls.")
}

func rejectTooDeep() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.QueryCallGraphTooDeep, "Composite query calls exceeded the maximum call depth.")
}

func rejectGraphInstructions() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.QueryCallGraphTotalInstructionLimitExceeded, "Composite query calls exceeded the instruction limit.")
}

func rejectLateQuery() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.QueryTimeLimitExceeded, "Composite query call exceeded the time limit.")
}

// rejectCanceled rejects composite queries whose clients no longer wait. Ours; no client sees it.
func rejectCanceled() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.QueryCallGraphInternal, "The composite query was canceled: its client no longer waits for the answer")
}

// rejectMoved is the answer of a run that is restarted; no client sees it.
func rejectMoved() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.QueryCallGraphInternal, "Composite query: the state is of another moment")
}

// rejectAbandoned rejects queries whose network was closed. Ours.
func rejectAbandoned(err error) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.QueryCallGraphInternal, "The query was abandoned: %v", err)
}
