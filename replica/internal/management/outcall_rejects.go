package management

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/outcall"
)

func rejectTransform(caller, given principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "transform principal id expected to be %s, got %s", caller, given)
}

func rejectURL(size int) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "url size %d exceeds %d", size, outcall.MaxURLBytes)
}

func rejectOutcall(fault string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "%s", fault)
}

func rejectMaxResponse(given uint64) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage,
		"max_response_bytes expected to be in the range [0..%d], got %d", outcall.MaxResponseBytes, given)
}

func rejectReplicated() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "The requested HTTP method is only allowed for non-replicated requests.")
}

func rejectInFlight() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "max number (%d) of http requests in-flight reached.", outcall.MaxInFlight)
}

// rejectReplication rejects counts that are invalid for any flexible outcall.
func rejectReplication(format string, args ...any) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, format, args...)
}
