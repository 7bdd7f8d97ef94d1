// Package node runs a network: it owns the goroutine the network runs on, the inbox in front of it, the pool of workers
// for its messages, the callers that wait for answers, and the recorder of its events with their readers.
//
// It must not know protocols, wall-clock time or files: the code that starts a node paces it and decides what is durable.
//
// # Goroutines
//
// One goroutine at a time owns the network: a caller that finds it idle runs its request and the round that follows
// itself; the node's own goroutine does everything else. One more goroutine compiles modules that canisters install,
// and exists only while there are any. A batch of one message runs on the owner; larger batches are shared with
// helpers, which start with the first such batch. Nodes that share Processors run as many messages at once as these
// allow. A message that is parked in the middle of its code stays behind on its own coroutine. Queries run on the
// goroutine of their caller, in slots that are shared fairly (QuerySlots). Modules that users install are compiled on
// the caller's goroutine too; queries do not wait for them. Close ends all of them.
//
// A caller that runs many rounds does so as a driver (Node.Drive): between two rounds the node asks it what happens
// next, and other callers get their turn. A caller that waits for something without an event of its own checks after
// everything that happens (Node.Until).
//
// # Journal
//
// A node with a journal (Config.Journal) runs ahead of the disk: the owner never waits for it. Callers do: what a method
// tells its caller is on disk before it returns (Settle). Views and events may show what a crash undoes; code that shows
// views to clients takes them from SettledView. That is the newest view of which an answer was awaited, while callers
// were told nothing that it does not show: readers do not wait for the disk because others write. A message and its
// answer share one wait for the disk if the message is handed in by SubmitAhead.
//
// # Forks
//
// A snapshot of a node is a fork of its network that sleeps: it has no goroutine. Wake
// makes a node of one, and Restore puts a fork of one in the place of a node's network;
// the network that was there is closed when the last query on it is over.
//
// # Events
//
// The newest events of an instance are remembered in a ring (Config.Record) with their
// numbers. A Stream reads them from any place in it and goes on with what happens; its place
// is a Token, which is good for one generation of the instance. Readers never hold up the
// owner: who falls behind the ring is told which event is the first there is.
package node
