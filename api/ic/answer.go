package ic

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/refusal"
)

// statuses maps refusals to HTTP statuses.
var statuses = [refusal.Kinds]int{
	refusal.Invalid:     http.StatusBadRequest,
	refusal.Forbidden:   http.StatusForbidden,
	refusal.NotFound:    http.StatusNotFound,
	refusal.Unsupported: http.StatusMethodNotAllowed,
	refusal.Conflict:    http.StatusConflict,
	refusal.Exists:      http.StatusConflict,
	refusal.TooLarge:    http.StatusRequestEntityTooLarge,
	refusal.Full:        http.StatusTooManyRequests,
	refusal.Unavailable: http.StatusServiceUnavailable,
	refusal.Damaged:     http.StatusInternalServerError,
}

// answerTo returns the HTTP status and text for an error of a Backend or a codec: from the refusal in it, or else a
// general one.
func answerTo(err error) (status int, text string) {
	if refused, ok := errors.AsType[*refusal.Refusal](err); ok {
		return statuses[refused.Kind], refused.Text
	}
	if exceeded, ok := errors.AsType[*budget.Exceeded](err); ok {
		return http.StatusTooManyRequests, exceeded.Error()
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout, "Request took longer than the deadline."
	case errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable, "The request was given up before it was answered."
	}
	return http.StatusInternalServerError, fmt.Sprintf("Unexpected error: %v", err)
}
