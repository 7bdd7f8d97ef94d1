// Package control is the control API: the six gRPC services of proto/control/v1,
// with full control over the instances of a daemon.
//
// It owns the translation between messages and what package instance and the network have, the
// table of reasons an RPC is refused for, and who may connect. It must not know files, listeners or
// the wall clock of the machine, and decides nothing about time, pacing or snapshots: it is given
// a Registry of instances, which do, and listeners to serve.
//
// # Shape
//
// New makes a Server with all services on a grpc.Server. Each service is one type (instances, canisters, calls, clock,
// flights, events) that embeds the Server, in a file of its name; families of RPCs have files of their own beside it
// (calls_stream.go), and private helpers stay there. A handler
//
//	func (s *clock) SetTime(ctx context.Context, in *controlv1.SetTimeRequest) (*controlv1.SetTimeResponse, error)
//
// reads its request, finds the instance with s.instance(in.GetInstance()), asks it, its
// Node or its Backend with the context it was given, and answers. The Backend brings the
// wall clock in and is for what users send (Submit, Await, Query); the Node is for
// test controls.
//
// # Errors
//
// A canister's reject is part of an answer, never an error. What is refused is an
// error made by a Reason (errors.go): a row with the gRPC code, the text and the
// names of the metadata, declared where the service is, and listed for users in
// docs/errors.md. The reasons of package instance are restated in one table
// (instances_reasons.go). Errors of the node, of backends and of contexts may be returned as
// they are: the server gives them their codes. A handler that panics is answered
// with INTERNAL and the daemon goes on; a goroutine of a handler is started with
// guarded, so that this holds for it too.
package control
