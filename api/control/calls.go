package control

import (
	"google.golang.org/grpc/codes"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// calls is the service Calls.
type calls struct {
	controlv1.UnimplementedCallsServer
	*Server
}

// Reasons of calls that are never made.
var (
	badArgument = reason("BAD_ARGUMENT", codes.InvalidArgument, "invalid argument for %s: %v", "method", "", "path")
	noInterface = reason("NO_INTERFACE", codes.FailedPrecondition,
		"canister %s has no Candid interface, neither as metadata candid:service nor as a method: send the argument as bytes or text", "canister_id").optional("reject")
	badInterface    = reason("BAD_INTERFACE", codes.FailedPrecondition, "the Candid interface of canister %s cannot be read: %v", "canister_id")
	notInInterface  = reason("METHOD_NOT_IN_INTERFACE", codes.FailedPrecondition, "the Candid interface of canister %s has no method %q", "canister_id", "method")
	answerForgotten = reason("ANSWER_FORGOTTEN", codes.NotFound, "the answer to request %s has been discarded", "request_id")
	callUnanswered  = reason("CALL_UNANSWERED", codes.DeadlineExceeded, "request %s is still open (%s)", "request_id", "waits_for").
			optional("wait_reason", "held_id", "rule_id").advise("call Await with its id")
)
