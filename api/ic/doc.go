// Package ic is the Internet Computer's HTTP interface (interface specification,
// "HTTPS Interface"): the twelve endpoints that agents speak to, and nothing
// beyond them.
//
// It owns URLs, HTTP methods, headers and body limits, the order in which a
// request is checked, who may read which path of the certified state, and the
// form of every answer. It must not know how messages are executed or stored, has
// no control over the network, keeps nothing between requests but which signatures
// by subnets were found right, and logs nothing.
//
// Where to start: route.go (the endpoints), then one file for each of them:
// call_async.go, call_sync.go, query.go, read_state_canister.go,
// read_state_subnet.go, status.go.
//
// # Decisions
//
// A synchronous call that is not answered in time is answered by an empty 202:
// the replica puts a reason into the body, which some agents read as CBOR.
//
// A request that is current by the wall clock gets answers dated by the wall clock, whatever the network's time is:
// certificates and signatures are dated for the client (authorize.go).
//
// Canister signatures may rest on the network's root key or on mainnet's: an
// identity that a canister of mainnet vouches for is the same user here.
//
// A prefix of the state tree that covers what its reader may not see is expanded
// into the paths that may be seen; the rest stays pruned, neither shown nor
// proven absent.
package ic
