// Package node runs a network: it owns the goroutine the network runs on, the
// inbox in front of it, the pool of workers its messages run on, those who wait
// for answers, and what is remembered of its events with those who read it.
//
// It must not know protocols, wall-clock time, files or journals: whoever starts
// a node paces it and decides what is durable.
//
// # Goroutines
//
// One goroutine at a time owns the network: a caller that finds nobody at work
// does its request and the round that follows itself; everything else is the
// node's own goroutine's. Modules that canisters install are compiled on one more,
// which is there while it has something to do. A batch of one message runs on the owner; of larger
// batches, helpers take their share, which come with the first such batch. Nodes that share Processors
// run as many messages at once as these allow. A message that is parked in the middle of
// its code stays behind on its own coroutine. Queries run on the goroutine of
// whoever asks, in slots that are shared fairly (QuerySlots). So are modules compiled that users
// install; queries do not wait for them. Close ends all of them.
//
// Who runs many rounds does so as a driver (Node.Drive): it is asked between two rounds
// what is to happen next, and others get their turn there. Who waits for something that
// nobody can tell it of looks after everything that happens (Node.Until).
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
