// Package pocketic is the REST interface of PocketIC's server over the instances of a daemon: it lets the clients of
// PocketIC drive canisterd.
//
// It owns the routes, their JSON, the numbers of instances, the error texts that clients compare, the queue of
// operations of each instance and the blob store. It must not know listeners, processes, the wall clock, or files other
// than the snapshot folders that clients name: it is given a Host, which makes instances.
//
// # Shape
//
// New makes a Server, an http.Handler. Each family of routes is a file with the types of
// its JSON; routes.go lists all of them. An operation on an instance
//
//	func (s *Server) setTime(ctx context.Context, e *entry, body []byte) (any, error)
//
// reads its body, calls the node of e, and returns a value that is sent as JSON. Operations on one instance run one
// after another, in the order of arrival. If an operation takes longer than its client wants to wait, the client gets a
// label for it, and polls (operations.go).
//
// # Reading
//
// Unknown fields are ignored; missing ones have their default. Bytes are Base64 with padding, integers may have 128
// bits. The output is the superset of what versions 10 to 16 of the clients read.
//
// # Errors
//
// A canister's reject is part of an answer ({"Err": ...}). An operation that fails returns a failure: a status and
// PocketIC's text for it, the debug form of its error (errors.go).
package pocketic
