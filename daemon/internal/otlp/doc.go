// Package otlp makes spans of the events of instances, and sends them to a collector by the OpenTelemetry protocol
// (OTLP 1), over HTTP or gRPC.
//
// It owns what a span is, the queue of spans that are complete, and the standard environment variables. It must not know
// the core: it reads the events that any client can read.
//
// # Spans
//
// An ingress message is the root of a trace, whose id is the first 16 bytes of the request id. A call between canisters
// is a span under the message that made it, on whatever canister or subnet that ran. It has the method, the canisters,
// the cycles, the instructions of all executions that served it, and the reject. Executions, traps, lines of logs and
// injected faults are events of the span. A heartbeat or a timer is the root of a trace if it made calls or trapped;
// a timer always is.
//
// # Time
//
// Start and end are of the wall clock, so that traces of canisterd fit those of its clients and a viewer finds them
// under "last hour". Messages of one round have one time on the clock of the network, which may also be years away: it
// is in the attributes canisterd.time and canisterd.height.
//
// # What is lost
//
// A span is sent when its call is answered. What a canister does after its answer is only seen in the spans of the
// calls it makes then. The queue is bounded: spans that find no room are dropped and counted, and instances never wait.
// So are events that are forgotten before they were read.
package otlp
