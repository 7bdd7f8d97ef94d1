package inspect

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/internal/budget"
)

// failure is an error as the pages get it: the code as Connect writes it, and google.rpc.ErrorInfo.
type failure struct {
	Code     string            `json:"code"`               // such as not_found
	Message  string            `json:"message"`            // for people
	Reason   string            `json:"reason,omitempty"`   // of ErrorInfo, such as IC_REJECT
	Metadata map[string]string `json:"metadata,omitempty"` // of ErrorInfo
}

// badRequest is the error of a request that is not a message of its method.
type badRequest struct{ text string }

// Error returns the text.
func (e *badRequest) Error() string { return e.text }

// memorySpent is the reason of errors that the memory budget causes, as in the control API.
const memorySpent = "MEMORY_SPENT"

// failureOf describes an error.
func failureOf(err error) failure {
	if bad, ok := errors.AsType[*badRequest](err); ok {
		return failure{Code: codeName(codes.InvalidArgument), Message: bad.text}
	}
	if spent, ok := errors.AsType[*budget.Exceeded](err); ok {
		return failure{Code: codeName(codes.ResourceExhausted), Message: spent.Error(), Reason: memorySpent}
	}
	state := status.Convert(err)
	f := failure{Code: codeName(state.Code()), Message: state.Message()}
	for _, detail := range state.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			f.Reason, f.Metadata = info.GetReason(), info.GetMetadata()
		}
	}
	return f
}

// codeName returns a code as Connect writes it: NotFound is not_found.
func codeName(code codes.Code) string {
	var name strings.Builder
	for i, letter := range code.String() {
		if i > 0 && letter >= 'A' && letter <= 'Z' {
			name.WriteByte('_')
		}
		name.WriteRune(letter)
	}
	return strings.ToLower(name.String())
}

// httpStatuses are the HTTP statuses of codes, as Connect maps them; the others are internal errors.
var httpStatuses = map[codes.Code]int{
	codes.Canceled:           499, // the client closed the request
	codes.InvalidArgument:    http.StatusBadRequest,
	codes.FailedPrecondition: http.StatusBadRequest,
	codes.OutOfRange:         http.StatusBadRequest,
	codes.Unauthenticated:    http.StatusUnauthorized,
	codes.PermissionDenied:   http.StatusForbidden,
	codes.NotFound:           http.StatusNotFound,
	codes.AlreadyExists:      http.StatusConflict,
	codes.Aborted:            http.StatusConflict,
	codes.ResourceExhausted:  http.StatusTooManyRequests,
	codes.Unimplemented:      http.StatusNotImplemented,
	codes.Unavailable:        http.StatusServiceUnavailable,
	codes.DeadlineExceeded:   http.StatusGatewayTimeout,
}

// statusOf returns the HTTP status of a code.
func statusOf(code codes.Code) int { return cmp.Or(httpStatuses[code], http.StatusInternalServerError) }

// json writes a failure.
func (f failure) json() []byte {
	body, _ := json.Marshal(f) // only texts
	return body
}

// sendFailure answers with an error.
func sendFailure(w http.ResponseWriter, err error) {
	code := status.Code(err)
	if _, bad := errors.AsType[*badRequest](err); bad {
		code = codes.InvalidArgument
	}
	if _, spent := errors.AsType[*budget.Exceeded](err); spent {
		code = codes.ResourceExhausted
	}
	writeError(w, statusOf(code), failureOf(err))
}

// writeError answers with a failure.
func writeError(w http.ResponseWriter, code int, f failure) { writeJSON(w, code, f.json()) }

// writeJSON answers with JSON.
func writeJSON(w http.ResponseWriter, code int, body []byte) {
	header := w.Header()
	header.Set("Content-Type", unaryType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = w.Write(body) // a browser that is gone misses it
}
