package remote

import (
	"errors"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// DebugInfoInvalid is the reason of the refusal of debug information that does not fit its module.
const DebugInfoInvalid = "DEBUG_INFO_INVALID"

// Code returns the gRPC code of an error of a call.
func Code(err error) codes.Code { return status.Code(err) }

// IsNotFound reports whether what a request was about does not exist.
func IsNotFound(err error) bool { return Code(err) == codes.NotFound }

// IsRefused reports whether the daemon refused what a request asks for, for example because a module traps when it is
// installed.
func IsRefused(err error) bool {
	code := Code(err)
	return code == codes.FailedPrecondition || code == codes.InvalidArgument
}

// Reason returns why the daemon refused a request, as a word that is the same in all versions, with its metadata. It is
// empty for other errors.
func Reason(err error) (reason string, metadata map[string]string) {
	s, ok := status.FromError(err)
	if !ok {
		return "", nil
	}
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info.GetReason(), info.GetMetadata()
		}
	}
	return "", nil
}

// Text returns the text of an error, without gRPC's own words around the daemon's text; "" for none. A prefix that
// others wrote before that stays.
func Text(err error) string {
	if err == nil {
		return ""
	}
	var said interface {
		error
		GRPCStatus() *status.Status
	}
	if errors.As(err, &said) {
		return strings.Replace(err.Error(), said.Error(), said.GRPCStatus().Message(), 1)
	}
	return err.Error()
}

// Stated returns the text of an error without the advice at its end, which names RPCs and fields.
func Stated(err error) string {
	text := Text(err)
	_, of := Reason(err)
	if stated, cut := strings.CutSuffix(text, ": "+of["advice"]); cut && of["advice"] != "" {
		return stated
	}
	return text
}

// Reply returns the reply of an outcome, or its reject as a *Reject.
func Reply(o *controlv1.Outcome) (*controlv1.Value, error) {
	if r := o.GetReject(); r != nil {
		return nil, &Reject{r}
	}
	return o.GetReply(), nil
}
