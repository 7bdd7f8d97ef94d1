// Package outcall is what becomes of the answers to an HTTP outcall: each node
// checks the one it got, has the asking canister transform it, and the nodes agree
// on one content, or not (interface specification, "IC method http_request").
//
// It owns the limits of requests and responses, the texts for what breaks them, the
// Candid forms of an answer, and the rule of agreement. It must not know how a
// request is made, how a transform is run, or who waits.
package outcall
