// Package instance holds the instances of a daemon: networks that run beside each other, each
// with what drives it.
//
// It owns what an instance is made of (Spec, ForkSpec, ImportSpec), its pacing, and the reasons
// for which the registry and an instance refuse something. It must not know a protocol: no gRPC,
// no protobuf, no HTTP, no listener. Package api/control translates between its messages and
// these types; package daemon wires them to files, listeners and the wall clock.
//
// # Refusals
//
// What is refused is a *Refusal: one of the Reasons with what it is about. Nothing happened. Its
// text names the thing, the value and the limit; a front end adds what to do in its own words.
package instance
