// Package wire encodes the Internet Computer's HTTP interface: it reads the bodies of call, query and read_state
// requests, determines who signed them, and writes the bodies of the answers (interface specification, "HTTPS
// Interface", "Authentication", "Request ids", "CBOR encoding of requests and responses").
//
// It owns the CBOR of envelopes and answers, request ids, delegation chains and the signature schemes, one file per
// scheme. It must not know what a canister, a state or an HTTP connection is: it takes bytes and a time in nanoseconds
// and returns values, Claims or a Refusal. It has no clock. Its only state is a Trust, which remembers valid signatures
// by subnets and joins the checks of concurrent requests.
//
// Where to start: envelope.go (what a request is), authenticate.go (who sent it), hash.go (request ids), response_*.go
// (answers). The client_*.go files are the client side, for the command line and tests.
//
// # Decisions
//
// A field of the content that the specification does not name is hashed into the request id, as "hash of the content
// map" says, and otherwise ignored. An unnamed field of the envelope or of a delegation wrapper is ignored; one of a
// delegation is hashed, since the delegation's signature covers its map. A null field is absent everywhere, as in the
// replica's optional fields. Duplicate keys, keys that are not text, floating point numbers, trailing bytes and tags
// other than 55799 (outermost) and 2 (natural number) are refused everywhere.
package wire
