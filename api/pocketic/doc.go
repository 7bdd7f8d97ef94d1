// Package pocketic is the REST interface of PocketIC's server over the instances of a
// daemon: the clients of PocketIC drive canisterd with it.
//
// It owns the routes, their JSON, the numbers of instances, the texts of errors that
// clients compare, the queue of operations of each instance and the blob store. It must
// not know listeners, processes or the wall clock, and of files only the folders of
// snapshots that clients name: it is given a Host, which makes instances.
//
// # Shape
//
// New makes a Server, an http.Handler. Each family of routes is a file with the types of
// its JSON; routes.go lists all of them. An operation on an instance
//
//	func (s *Server) setTime(ctx context.Context, e *entry, body []byte) (any, error)
//
// reads its body, asks the node of e, and returns what is to be sent as JSON. Operations on
// one instance run one after another, in the order in which they came; a client whose
// operation takes longer than it wants to wait gets a label for it, and asks later
// (operations.go).
//
// # Reading
//
// Unknown fields are ignored, missing ones have their default. Bytes are Base64 with
// padding, integers may have 128 bits. What is written is the superset of what the versions 10
// to 16 of the clients read.
//
// # Errors
//
// A canister's reject is part of an answer ({"Err": ...}). What an operation fails with is
// a failure: a status and the text PocketIC has for it, which is the debug form of its
// error (errors.go).
package pocketic
