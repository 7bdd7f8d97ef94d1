// Package node runs a network: it owns the goroutine the machine lives on, the
// inbox in front of it, the pool of workers its messages run on, those who wait
// for answers and those who watch events.
//
// It must not know protocols, wall-clock time, files or journals: whoever starts
// a node paces it and decides what is durable. The API layers and daemon may
// import it; it imports replica.
//
// # Goroutines
//
// One goroutine at a time owns the network: a caller that finds nobody at work
// does its request and the round that follows itself; everything else is the
// node's own goroutine's. Modules that canisters install are compiled on one more,
// which is there while it has something to do. A batch of one message runs on the owner; of larger
// batches, helpers take their share, which come with the first such batch. A message that is parked in the middle of
// its code stays behind on its own strand. Queries run on the goroutine of
// whoever asks, at most a few at a time. So are modules compiled that users
// install; queries do not wait for them. Close ends all of them.
//
// # Forks
//
// A snapshot of a node is a fork of its network that sleeps: it has no goroutine. Wake
// makes a node of one, and Restore puts a fork of one in the place of a node's network;
// the network that was there is closed when the last query on it is over.
package node
