// Package ic is the Internet Computer's HTTP interface (interface specification, "HTTPS Interface"): exactly the twelve
// endpoints that agents use.
//
// It owns URLs, HTTP methods, headers and body limits, the order of the checks of a request, who may read which path of
// the certified state, and the form of every answer. It must not know how messages are executed or stored, has no
// control over the network, keeps nothing between requests except which signatures by subnets are valid, and logs
// nothing.
//
// Where to start: route.go (the endpoints), then the file of each: call_async.go, call_sync.go, query.go,
// read_state_canister.go, read_state_subnet.go, status.go.
//
// # Decisions
//
// A synchronous call that is not answered in time gets an empty 202: the replica puts a reason into the body, which
// some agents read as CBOR.
//
// If a request is current by the wall clock, its answer is dated by the wall clock, whatever the network's time is:
// certificates and signatures are dated for the client (authorize.go).
//
// Canister signatures may rest on the root key of the network or of mainnet: an identity that a canister of mainnet
// vouches for is the same user here.
//
// A prefix of the state tree that includes paths its reader may not see is expanded into the visible paths; the rest
// stays pruned, neither shown nor proven absent.
package ic
