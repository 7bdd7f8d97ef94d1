// Package instance holds the instances of a daemon: networks that run in parallel, each with the code that drives it.
//
// It owns the registry (names, leases, shared engines), the specifications of instances (Spec, ForkSpec, ImportSpec),
// their snapshots and lineage, their clocks, pacing, and the methods with which clients let time pass. It must not know
// a protocol: no gRPC, no protobuf, no HTTP, no listener. Front ends translate between their messages and these types;
// a Host provides what an instance needs of them.
//
// # Shape
//
// A Registry makes, finds and deletes instances. An Instance is a driver with a clock, a pacer and a Backend. The
// Driver is for inspection and test controls. The Backend is for users, and first applies the wall clock. Methods that
// let time pass have their own files: SetTime (time.go), Advance (advance.go), RunRounds (rounds.go), RunUntil
// (run.go), Step (step.go), Await (wait.go).
//
// # Pacing
//
// A Pacing is a mode with its parameters. Each mode has a file (pacing_auto.go) with its name, who begins rounds,
// whether the wall clock moves the time, and its ticker. Other code never compares modes, but asks for a property
// (Pacing.RoundsByClients, Pacing.TimeByWallClock). The pacer calls the ticker when it is due. One goroutine and one
// timer (schedule.go) wait for the tickers of all instances, so an idle instance costs nothing.
//
// # The clock
//
// The time of a network is an input. If the wall clock moves it, the time is the wall clock plus an offset that is
// never negative. The owner of the network changes its time and the offset in one turn: otherwise a tick from before a
// restore could move the restored network.
//
// # The past
//
// A Moment names a past state of a durable instance. A scan of the journal finds its position. The network is restored
// from the newest checkpoint before it by a replay of the records in between (point_in_time.go). The instance continues
// to run while the journal is read.
//
// # Refusals
//
// A refused request returns a *Refusal for one of the Reasons. Nothing happened. Its text names the
// thing, the value and the limit; a front end adds the remedy in its own words.
package instance
