// Package outcall turns the answers to an HTTP outcall into one: each node checks its answer, the calling canister
// transforms it, and the nodes agree on one content, or not (interface specification, "IC method http_request").
//
// It owns the limits of requests and responses, the texts for violations, the Candid types of an answer, and the rule
// of agreement. It must not know how a request is made, how a transform is run, or who waits.
package outcall
