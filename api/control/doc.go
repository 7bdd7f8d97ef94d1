// Package control is the control API: the seven gRPC services of proto/control/v1, with full control over the instances
// of a daemon.
//
// It owns the translation between messages and package instance, the table of reasons for refusing an RPC, and who may
// connect. It must not know files, listeners or the wall clock of the machine. It decides nothing about time, pacing or
// snapshots: that is up to the Registry of instances that it is given, with the listeners to serve.
//
// # Shape
//
// New makes a Server with all services on a grpc.Server. Each service is one type (instances, canisters, calls, clock,
// messages, events, explorer) that embeds the Server, in a file of its name. Families of RPCs have their own files
// (calls_stream.go) with their private helpers. A handler
//
//	func (s *clock) SetTime(ctx context.Context, in *controlv1.SetTimeRequest) (*controlv1.SetTimeResponse, error)
//
// reads its request, finds the instance with s.instance(in.GetInstance()), calls it, its Driver or its Backend with the
// handler's context, and answers. The Backend applies the wall clock and is for users' messages (Submit, Await, Query);
// the Driver is for test controls.
//
// # Errors
//
// A canister's reject is part of an answer, never an error. A refusal is an error made by a Reason (errors.go): a row
// with the gRPC code, the text and the names of the metadata, declared with its service, and listed for users in
// docs/errors.md. Those of package instance get the code of their kind, and advice for clients (instances_reasons.go).
// Handlers may return errors of the driver, of backends and of contexts unchanged: the server maps them to codes. A
// handler that panics is answered with INTERNAL and the daemon continues; a handler starts a goroutine with guarded, so
// that this holds for it too.
package control
