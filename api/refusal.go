package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/budget"
)

// Refusal is a request that is not let in: nothing happened, and nothing of it is
// recorded. Status is the HTTP status, Text the plain-text body.
type Refusal struct {
	Status int
	Text   string
}

// Error is the text.
func (r *Refusal) Error() string { return r.Text }

// HTTPStatus is the status.
func (r *Refusal) HTTPStatus() int { return r.Status }

// Reason is why a front end refuses a request.
type Reason uint8

// The reasons, with the arguments of their texts.
const (
	UnknownPath         Reason = iota // path
	WrongMethod                       // method, path, allowed method
	WrongContentType                  //
	BodyTooLarge                      // most bytes
	BodyCutOff                        // error
	BadID                             // "canister" or "subnet", text, error
	WrongEffectiveID                  // canister of the request, id in the URL
	NoHost                            // canister
	NoSubnet                          // subnet
	IngressTooLarge                   // request id, size, most
	NotForSubnets                     // method, canister, the methods that are
	UnknownStatePath                  //
	BadStatePrincipal                 // error
	OtherStatePrincipal               // id in the URL, id in the path
	BadSectionName                    // name
	PrivateSection                    // name
	BadRequestID                      // bytes of a request id
	TwoRequestIDs                     // request id, request id
	TwoRangesSubnets                  // subnet, subnet
	ForeignRequest                    //
	OtherEffectiveID                  // request id, id in the URL
	RequestNotOfTargets               //
	ForeignPage                       // method, header with its value
	Stopped                           // error
	NoCertifiedState                  //
)

// refusals is the status table: what HTTP says for each reason. Where the replica
// has a text for the same reason it is the replica's, because clients look for
// its phrases.
var refusals = [...]struct {
	status int
	text   string
}{
	UnknownPath:         {http.StatusNotFound, "There is nothing at %q; the interface is under /api/v2, /api/v3 and /api/v4 (interface specification, \"HTTPS Interface\")."},
	WrongMethod:         {http.StatusMethodNotAllowed, "Method %s is not allowed for %s; use %s."},
	WrongContentType:    {http.StatusBadRequest, "Unexpected content-type, expected application/cbor."},
	BodyTooLarge:        {http.StatusRequestEntityTooLarge, "The request body has more than %d bytes, which is the most that is allowed."},
	BodyCutOff:          {http.StatusBadRequest, "The request body could not be read to its end: %v"},
	BadID:               {http.StatusBadRequest, "Invalid URL: the %s id %q is not a principal: %v"},
	WrongEffectiveID:    {http.StatusBadRequest, "Specified CanisterId %s does not match effective canister id in URL %s"},
	NoHost:              {http.StatusBadRequest, "Canister %s does not belong to any subnet."},
	NoSubnet:            {http.StatusBadRequest, "Subnet %s is not part of this network."},
	IngressTooLarge:     {http.StatusRequestEntityTooLarge, "Request %s is too large. Message byte size %d is larger than the max allowed %d."},
	NotForSubnets:       {http.StatusBadRequest, "Method %q of canister %s cannot be called by subnet id; only %s of the management canister can. Use the endpoint with a canister id."},
	UnknownStatePath:    {http.StatusNotFound, "Invalid path requested."},
	BadStatePrincipal:   {http.StatusBadRequest, "Could not parse principal ID: %v."},
	OtherStatePrincipal: {http.StatusBadRequest, "Effective principal id in URL %s does not match requested principal id: %s."},
	BadSectionName:      {http.StatusBadRequest, "Could not parse the custom section name: %.100q is not UTF-8."},
	PrivateSection:      {http.StatusForbidden, "Custom section %.100s can only be requested by the controllers of the canister."},
	BadRequestID:        {http.StatusBadRequest, "Invalid request id in paths. Maybe the request ID is not of %d bytes in length?!"},
	TwoRequestIDs:       {http.StatusBadRequest, "More than one non-unique request ID exists in request_status paths: %s and %s."},
	TwoRangesSubnets:    {http.StatusBadRequest, "More than one subnet ID exists in canister_ranges paths: %s and %s."},
	ForeignRequest:      {http.StatusForbidden, "The user tries to access Request ID not signed by the caller."},
	OtherEffectiveID:    {http.StatusForbidden, "Request %s was not made with the effective id %s: ask with the id it was made with."},
	RequestNotOfTargets: {http.StatusForbidden, "The user tries to access request IDs for canisters not belonging to sender delegation targets."},
	ForeignPage:         {http.StatusForbidden, "%s is refused for a request with %.300q: pages that are not of localhost, *.localhost or a loopback address cannot use provisional methods. Use canisterd on the command line, or serve the page on localhost."},
	Stopped:             {http.StatusServiceUnavailable, "The instance is not running: %v."},
	NoCertifiedState:    {http.StatusServiceUnavailable, "Certified state is not available yet. Please try again..."},
}

// Refuse is the refusal for a reason, with the arguments its text takes.
func (r Reason) Refuse(args ...any) *Refusal {
	row := refusals[r]
	return &Refusal{row.status, fmt.Sprintf(row.text, args...)}
}

// Answer is the HTTP status and text for an error of a Backend or a codec: those
// of a refusal, wherever it comes from, and else what is left to say.
func Answer(err error) (status int, text string) {
	if refusal, ok := errors.AsType[interface {
		error
		HTTPStatus() int
	}](err); ok {
		return refusal.HTTPStatus(), refusal.Error()
	}
	if refusal, ok := errors.AsType[*replica.Refusal](err); ok {
		return refusal.HTTP, refusal.Text
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
