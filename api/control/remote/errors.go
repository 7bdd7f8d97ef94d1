package remote

import (
	"errors"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Code is the gRPC code of an error of a call.
func Code(err error) codes.Code { return status.Code(err) }

// Reason is why the daemon refused a request, in a word that stays the same from version to version, with what belongs
// to it. It is empty for an error of another kind.
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

// Text is what an error says, without gRPC's own words around what the daemon said; "" for none. What others wrote
// before that stays.
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

// Reply is the reply of an outcome, or its reject as a *Reject.
func Reply(o *controlv1.Outcome) (*controlv1.Value, error) {
	if r := o.GetReject(); r != nil {
		return nil, &Reject{r}
	}
	return o.GetReply(), nil
}
