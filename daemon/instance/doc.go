// Package instance holds the instances of a daemon: networks that run beside each other, each
// with what drives it.
//
// It owns the registry (names, leases, the engines that instances share), what an instance is made
// of (Spec, ForkSpec, ImportSpec), its snapshots and its lineage, its clock and how far that is ahead
// of the wall clock, its pacing, and the ways in which clients let its time pass. It must not know a
// protocol: no gRPC, no protobuf, no HTTP, no listener. Front ends translate between their messages
// and these types; what an instance needs of them is handed in by a Host.
//
// # Shape
//
// A Registry makes instances, finds them and deletes them. An Instance is a node with a clock, a pacer and a Backend.
// The Node is for inspection and test controls; the Backend is what users reach, and brings the wall clock in first.
// Methods that let time pass are in files of their own: SetTime (time.go), Advance (advance.go), RunRounds (rounds.go),
// RunUntil (run.go), Step (step.go), Await (wait.go).
//
// # Pacing
//
// A Pacing is a mode with its parameters. A mode is one file (pacing_auto.go): its name, who begins
// rounds, whether the wall clock moves the time, and the driver that does. No other place compares
// modes: it asks for one of these properties (Pacing.RoundsByClients, Pacing.TimeByWallClock). The
// pacer calls the driver when it is due. One goroutine and one timer (schedule.go) wait for the
// drivers of all instances, and one that has nothing to do costs nothing.
//
// # The clock
//
// The time of a network is an input. If the wall clock moves it, it is the wall clock plus an offset, which is never
// negative. The owner of the network moves its time and the offset in one turn: otherwise a tick from before a restore
// could move the restored network.
//
// # The past
//
// A Moment names a past state of a durable instance. A scan of the journal finds the position of the moment; the network
// is read from the newest checkpoint before it and given the records up to it (past.go). The journal is read while the
// instance goes on.
//
// # Refusals
//
// What is refused is a *Refusal: one of the Reasons with what it is about. Nothing happened. Its
// text names the thing, the value and the limit; a front end adds what to do in its own words.
package instance
