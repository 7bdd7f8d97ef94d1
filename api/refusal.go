package api

import "github.com/canisterd/canisterd/internal/refusal"

var reasons refusal.Table

// The reasons why front ends refuse a request, with the arguments of their texts. The text is the replica's if there is
// one, because clients look for its phrases.
var (
	// UnknownPath: path.
	UnknownPath = reasons.Add("", refusal.NotFound, "There is nothing at %q; the interface is under /api/v2, /api/v3 and /api/v4 (interface specification, \"HTTPS Interface\").")
	// WrongMethod: method, path, allowed method.
	WrongMethod = reasons.Add("", refusal.Unsupported, "Method %s is not allowed for %s; use %s.")
	// WrongContentType has no arguments.
	WrongContentType = reasons.Add("", refusal.Invalid, "Unexpected content-type, expected application/cbor.")
	// BodyTooLarge has no arguments.
	BodyTooLarge = reasons.Add("", refusal.TooLarge, "length limit exceeded")
	// BodyGrewTooLarge has no arguments.
	BodyGrewTooLarge = reasons.Add("", refusal.TooLarge, "Failed to buffer the request body: length limit exceeded")
	// BodyCutOff: error.
	BodyCutOff = reasons.Add("", refusal.Invalid, "The request body could not be read to its end: %v")
	// BadID: "canister" or "subnet", text, error.
	BadID = reasons.Add("", refusal.Invalid, "Invalid URL: the %s id %q is not a principal: %v")
	// WrongEffectiveID: canister of the request, id in the URL.
	WrongEffectiveID = reasons.Add("", refusal.Invalid, "Specified CanisterId %s does not match effective canister id in URL %s")
	// NoHost: canister.
	NoHost = reasons.Add("", refusal.Invalid, "Canister %s does not belong to any subnet.")
	// NoSubnet: subnet.
	NoSubnet = reasons.Add("", refusal.Invalid, "Subnet %s is not part of this network.")
	// IngressTooLarge: request id, size, limit.
	IngressTooLarge = reasons.Add("", refusal.TooLarge, "Request %s is too large. Message byte size %d is larger than the max allowed %d.")
	// NotForSubnets: method, canister, the allowed methods.
	NotForSubnets = reasons.Add("", refusal.Invalid, "Method %q of canister %s cannot be called by subnet id; only %s of the management canister can. Use the endpoint with a canister id.")
	// UnknownStatePath has no arguments.
	UnknownStatePath = reasons.Add("", refusal.NotFound, "Invalid path requested.")
	// BadStatePrincipal: error.
	BadStatePrincipal = reasons.Add("", refusal.Invalid, "Could not parse principal ID: %v.")
	// OtherStatePrincipal: id in the URL, id in the path.
	OtherStatePrincipal = reasons.Add("", refusal.Invalid, "Effective principal id in URL %s does not match requested principal id: %s.")
	// BadSectionName: name.
	BadSectionName = reasons.Add("", refusal.Invalid, "Could not parse the custom section name: %.100q is not UTF-8.")
	// PrivateSection: name.
	PrivateSection = reasons.Add("", refusal.Forbidden, "Custom section %.100s can only be requested by the controllers of the canister.")
	// BadRequestID: bytes of a request id.
	BadRequestID = reasons.Add("", refusal.Invalid, "Invalid request id in paths. Maybe the request ID is not of %d bytes in length?!")
	// TwoRequestIDs: request id, request id.
	TwoRequestIDs = reasons.Add("", refusal.Invalid, "More than one non-unique request ID exists in request_status paths: %s and %s.")
	// TwoRangesSubnets: subnet, subnet.
	TwoRangesSubnets = reasons.Add("", refusal.Invalid, "More than one subnet ID exists in canister_ranges paths: %s and %s.")
	// ForeignRequest has no arguments.
	ForeignRequest = reasons.Add("", refusal.Forbidden, "The user tries to access Request ID not signed by the caller.")
	// OtherEffectiveID: request id, id in the URL.
	OtherEffectiveID = reasons.Add("", refusal.Forbidden, "Request %s was not made with the effective id %s: ask with the id it was made with.")
	// RequestNotOfTargets has no arguments.
	RequestNotOfTargets = reasons.Add("", refusal.Forbidden, "The user tries to access request IDs for canisters not belonging to sender delegation targets.")
	// ForeignPage: method, header with its value.
	ForeignPage = reasons.Add("", refusal.Forbidden, "%s is refused for a request with %.300q: pages that are not of localhost, *.localhost or a loopback address cannot use provisional methods. Use canisterd on the command line, or serve the page on localhost.")
	// Stopped: error.
	Stopped = reasons.Add("", refusal.Unavailable, "The instance is not running: %v.")
	// NoCertifiedState has no arguments.
	NoCertifiedState = reasons.Add("", refusal.Unavailable, "Certified state is not available yet. Please try again...")
)
