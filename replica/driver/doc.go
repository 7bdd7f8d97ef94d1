// Package driver runs a network: it owns the goroutine of the network, its inbox, the pool of workers for its messages,
// the callers that wait for answers, and the recorder of its events with their readers.
//
// It must not know protocols, wall-clock time or files: the code that starts a driver paces it and decides what is
// durable.
//
// # Goroutines
//
// One goroutine at a time owns the network: a caller that finds it idle runs its own request and the following round;
// the driver's goroutine does everything else. Another goroutine exists while modules that canisters install are
// compiled. A batch of one message runs on the owner; larger batches are shared with helpers, which start with the
// first such batch. Drivers that share Processors run at most as many messages at once as these allow. A message that
// is parked in the middle of its code stays on its own coroutine. Queries run on the goroutine of their caller, in
// slots that are shared fairly (QuerySlots). Modules that users install are compiled on the caller's goroutine too;
// queries do not wait for them. Close ends all of them.
//
// A caller that runs many rounds gives Driver.RunRounds a function: between two rounds the driver asks it what to do
// next, and serves other callers. A caller that waits for something without its own event checks after everything that
// happens (Driver.Until).
//
// # Journal
//
// A driver with a journal (Config.Journal) runs ahead of the disk: the owner never waits for it. Callers do: the
// results of a method are on disk before it returns (Settle). Views and events may show what a crash undoes; code that
// shows views to clients takes them from SettledView. That is the newest view with an answer that a caller awaited,
// unless callers already know more than it shows: readers do not wait for the disk because of writes by others. A
// message and its answer share one wait for the disk if SubmitAhead or SubmitAwaited submits the message.
//
// # Forks
//
// A snapshot of a driver is a sleeping fork of its network: it has no goroutine. Wake makes a driver from one, and
// Restore replaces a driver's network by a fork of one; the old network is closed when its last query has ended.
//
// # Events
//
// A ring (Config.Record) keeps the newest events of an instance with their numbers. A Stream reads them from any place
// and then follows new ones; its place is a Token, which is valid for one generation of the instance. Readers never
// delay the owner: a reader that falls behind the ring gets an error with the number of the first event. Drivers that
// share an EventMemory keep fewer events where they are many. Events are observations: what a driver forgets changes
// nothing in its network.
package driver
