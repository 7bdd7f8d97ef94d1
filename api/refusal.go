package api

import (
	"github.com/canisterd/canisterd/internal/refusal"
)

// Reason is why a front end refuses a request.
type Reason uint8

// The reasons, with the arguments of their texts.
const (
	UnknownPath         Reason = iota // path
	WrongMethod                       // method, path, allowed method
	WrongContentType                  //
	BodyTooLarge                      //
	BodyGrewTooLarge                  //
	BodyCutOff                        // error
	BadID                             // "canister" or "subnet", text, error
	WrongEffectiveID                  // canister of the request, id in the URL
	NoHost                            // canister
	NoSubnet                          // subnet
	IngressTooLarge                   // request id, size, limit
	NotForSubnets                     // method, canister, the allowed methods
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

// refusals holds the text of front ends for each reason. It is the replica's text if there is one, because clients look
// for its phrases.
var refusals = [...]struct {
	kind refusal.Kind
	text string
}{
	UnknownPath:         {refusal.NotFound, "There is nothing at %q; the interface is under /api/v2, /api/v3 and /api/v4 (interface specification, \"HTTPS Interface\")."},
	WrongMethod:         {refusal.Unsupported, "Method %s is not allowed for %s; use %s."},
	WrongContentType:    {refusal.Invalid, "Unexpected content-type, expected application/cbor."},
	BodyTooLarge:        {refusal.TooLarge, "length limit exceeded"},
	BodyGrewTooLarge:    {refusal.TooLarge, "Failed to buffer the request body: length limit exceeded"},
	BodyCutOff:          {refusal.Invalid, "The request body could not be read to its end: %v"},
	BadID:               {refusal.Invalid, "Invalid URL: the %s id %q is not a principal: %v"},
	WrongEffectiveID:    {refusal.Invalid, "Specified CanisterId %s does not match effective canister id in URL %s"},
	NoHost:              {refusal.Invalid, "Canister %s does not belong to any subnet."},
	NoSubnet:            {refusal.Invalid, "Subnet %s is not part of this network."},
	IngressTooLarge:     {refusal.TooLarge, "Request %s is too large. Message byte size %d is larger than the max allowed %d."},
	NotForSubnets:       {refusal.Invalid, "Method %q of canister %s cannot be called by subnet id; only %s of the management canister can. Use the endpoint with a canister id."},
	UnknownStatePath:    {refusal.NotFound, "Invalid path requested."},
	BadStatePrincipal:   {refusal.Invalid, "Could not parse principal ID: %v."},
	OtherStatePrincipal: {refusal.Invalid, "Effective principal id in URL %s does not match requested principal id: %s."},
	BadSectionName:      {refusal.Invalid, "Could not parse the custom section name: %.100q is not UTF-8."},
	PrivateSection:      {refusal.Forbidden, "Custom section %.100s can only be requested by the controllers of the canister."},
	BadRequestID:        {refusal.Invalid, "Invalid request id in paths. Maybe the request ID is not of %d bytes in length?!"},
	TwoRequestIDs:       {refusal.Invalid, "More than one non-unique request ID exists in request_status paths: %s and %s."},
	TwoRangesSubnets:    {refusal.Invalid, "More than one subnet ID exists in canister_ranges paths: %s and %s."},
	ForeignRequest:      {refusal.Forbidden, "The user tries to access Request ID not signed by the caller."},
	OtherEffectiveID:    {refusal.Forbidden, "Request %s was not made with the effective id %s: ask with the id it was made with."},
	RequestNotOfTargets: {refusal.Forbidden, "The user tries to access request IDs for canisters not belonging to sender delegation targets."},
	ForeignPage:         {refusal.Forbidden, "%s is refused for a request with %.300q: pages that are not of localhost, *.localhost or a loopback address cannot use provisional methods. Use canisterd on the command line, or serve the page on localhost."},
	Stopped:             {refusal.Unavailable, "The instance is not running: %v."},
	NoCertifiedState:    {refusal.Unavailable, "Certified state is not available yet. Please try again..."},
}

// Refuse returns a refusal for a reason, with the arguments of its text.
func (r Reason) Refuse(args ...any) *refusal.Refusal {
	row := refusals[r]
	return refusal.New(row.kind, row.text, args...)
}
