package pocketic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/driver"
)

// failure is the error of an operation. Clients compare its text.
type failure struct {
	status int
	text   string
}

// Error returns the text.
func (f *failure) Error() string { return f.text }

func failed(format string, args ...any) error {
	return &failure{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// Failures of operations in PocketIC's words.
func canisterNotFound(id principal.Principal) error {
	return failed("CanisterNotFound(CanisterId(%s))", id)
}

func canisterIsEmpty(id principal.Principal) error {
	return failed("CanisterIsEmpty(CanisterId(%s))", id)
}

func subnetNotFound(id principal.Principal) error { return failed("SubnetNotFound(%s)", id) }

func badIngress(text string) error { return failed("BadIngressMessage(%s)", quoted(text)) }

func unroutedCanister(text string) error {
	return failed("CanisterRequestRoutingError(%s)", quoted(text))
}

// conversion is for a field of a request that cannot be parsed.
func conversion(text string) error { return failed("ConversionError { message: %s }", quoted(text)) }

// update is for a request that reaches no instance.
func update(text string) error { return failed("UpdateError { message: %s }", quoted(text)) }

// quoted returns a string in Rust's debug form.
func quoted(text string) string { return strconv.Quote(text) }

// failureOf returns the status and the text of an error.
func failureOf(err error) (status int, text string) {
	f := new(failure)
	refused, exceeded := new(refusal.Refusal), new(budget.Exceeded)
	switch {
	case errors.As(err, &f):
		return f.status, f.text
	case errors.Is(err, driver.ErrClosed) || errors.Is(err, context.Canceled):
		return failureOf(update("Instance was deleted"))
	case errors.As(err, &refused):
		return failureOf(badIngress(refused.Text))
	case errors.As(err, &exceeded):
		return http.StatusTooManyRequests, exceeded.Error()
	}
	return http.StatusBadRequest, err.Error()
}
