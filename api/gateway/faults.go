package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/refusal"
)

// fault is why the gateway answers a request itself.
type fault struct {
	status int
	code   string // for programs
	what   string // what happened
	why    string // the text of the cause; "" if there is none
	remedy string // what to do
}

// invalidAnswer is an answer of a canister that cannot be read or sent.
type invalidAnswer struct{ error }

// Unwrap returns the cause.
func (i *invalidAnswer) Unwrap() error { return i.error }

// unverified is an answer of a canister without valid certification.
type unverified struct{ error }

// Unwrap returns the cause.
func (u *unverified) Unwrap() error { return u.error }

var (
	errHeaders     = fmt.Errorf("its headers are more than %d or have more than %d bytes", maxHeaders, maxHeaderBytes)
	errRequestBody = errors.New("the body of the request is too large")
)

// whatWaits returns what to do about requests to an instance that do not end.
func whatWaits(instance string) string {
	return fmt.Sprintf("If the instance is paced by hand, run rounds (canisterd -i %s run); otherwise see what its canisters wait for (canisterd -i %s futures).", instance, instance)
}

func noInstance(host string) *fault {
	return &fault{
		http.StatusNotFound, "InstanceNotFound", fmt.Sprintf("The host %q names an instance that does not exist.", host), "",
		"Use CANISTER.INSTANCE.localhost with the name of an instance: canisterd instance list shows them.",
	}
}

func foreignHost(host string) *fault {
	return &fault{
		http.StatusForbidden, "UnknownDomain", fmt.Sprintf("The host %q is not served here: a page on the Internet could have this name.", host), "",
		"Use CANISTER.localhost or an address, or start canisterd with --domain for a domain of yours.",
	}
}

func unknownName(label string) *fault {
	return &fault{
		http.StatusBadRequest, "CanisterIdNotFound", fmt.Sprintf("%q is neither the id nor the name of a canister.", label), "",
		"Put the id of a canister before the domain: CANISTER.localhost. canisterd canister list shows the ids.",
	}
}

func noSuchCanister(why string) *fault {
	return &fault{
		http.StatusNotFound, "CanisterNotFound", "The canister does not exist in this instance.", why,
		"Compare the id with the list of canisters at /_/dashboard.",
	}
}

func noCanister(path string) *fault {
	return &fault{
		http.StatusBadRequest, "CanisterIdNotFound", fmt.Sprintf("There is nothing at %q: the request names no canister.", path), "",
		"Use the host CANISTER.localhost or the query ?canisterId=CANISTER. The interface for agents is under /api/v2, /api/v3 and /api/v4, the list of canisters at /_/dashboard.",
	}
}

// faultOf returns the fault for an error on the way to a canister and back.
func faultOf(err error, to *target) *fault {
	if rejected, ok := errors.AsType[*reject](err); ok {
		return faultOfReject(rejected, err)
	}
	if exceeded, ok := errors.AsType[*budget.Exceeded](err); ok {
		return &fault{http.StatusTooManyRequests, "OutOfMemory", "The daemon has no memory left for this answer.", exceeded.Error(), "Try again later."}
	}
	if invalid, ok := errors.AsType[*invalidAnswer](err); ok {
		return &fault{
			http.StatusBadGateway, "InvalidAnswer", "The canister gives an answer that is not an HTTP response.", invalid.Error(),
			"Correct the type or the value that http_request returns.",
		}
	}
	if refused, ok := errors.AsType[*unverified](err); ok {
		return &fault{
			http.StatusBadGateway, "ResponseVerificationFailed", "The answer of the canister is not certified, or it was changed after the canister certified it.", refused.Error(),
			"Certify the response in the canister, or look at it without verification at " + rawHost(to) + ".",
		}
	}
	switch {
	case errors.Is(err, errNoSubnet):
		return noSuchCanister(err.Error())
	case errors.Is(err, errRequestBody):
		return &fault{
			http.StatusRequestEntityTooLarge, "RequestTooLarge", fmt.Sprintf("The body of the request has more than %d bytes, which is the most that a call to a canister can carry.", maxRequestBody), "",
			"Send it in parts.",
		}
	case errors.Is(err, context.DeadlineExceeded):
		return &fault{
			http.StatusGatewayTimeout, "Timeout", "The canister did not answer in time.", err.Error(),
			whatWaits(to.network.Name()),
		}
	}
	return faultOfRefusal(err)
}

func faultOfReject(rejected *reject, err error) *fault {
	lower := strings.ToLower(rejected.text)
	switch {
	case strings.Contains(lower, "no query method") || strings.Contains(lower, "no update method"):
		return &fault{
			http.StatusBadGateway, "NoHttpInterface", "The canister serves no pages: it has no such method.", err.Error(),
			"Install code with a query method http_request, or call the canister with an agent.",
		}
	case rejected.code == destinationInvalid:
		return &fault{
			http.StatusNotFound, "CanisterNotFound", "The canister does not exist, or it has no code.", err.Error(),
			"Compare the id with the list of canisters at /_/dashboard, and install code.",
		}
	}
	return &fault{
		http.StatusBadGateway, "CanisterReject", "The canister, or the system, rejects the request.", err.Error(),
		"Read the canister's log: canisterd canister logs.",
	}
}

// refusalStatuses maps refusals by the instance to statuses.
var refusalStatuses = map[refusal.Kind]int{
	refusal.Forbidden: http.StatusForbidden, refusal.NotFound: http.StatusNotFound, refusal.Full: http.StatusTooManyRequests,
	refusal.TooLarge: http.StatusRequestEntityTooLarge, refusal.Unavailable: http.StatusServiceUnavailable,
}

func faultOfRefusal(err error) *fault {
	status := http.StatusInternalServerError
	if refused, ok := errors.AsType[*refusal.Refusal](err); ok {
		status = http.StatusBadRequest
		if known, ok := refusalStatuses[refused.Kind]; ok {
			status = known
		}
	}
	return &fault{status, "Refused", "The instance did not take the request.", err.Error(), "Try again, or see the log of the daemon."}
}

// rawHost returns the host at which the answers of a canister are not verified.
func rawHost(to *target) string { return to.canister.String() + "." + rawLabel + "." + to.domain }
