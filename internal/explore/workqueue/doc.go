// Package workqueue spreads the jobs of an exploration over workers in other processes, over gRPC (proto/worker/v1).
//
// It owns the hub, at which workers join; the coordinator of a campaign, which is a pool of package campaign; and the loop
// of workers. It must not know what is explored: the description and the base of a campaign are bytes, and a function
// makes them a worker.
//
// # A campaign
//
// A worker opens one stream to the hub and keeps it. The hub invites it to the campaign with the fewest workers. It reads
// the description and the base, unless it still has a base of the same digest, and says that it is ready. Then the
// coordinator gives it assignments: some consecutive jobs each. A worker has one assignment more than it runs, so that
// it does not wait for the next one. When the campaign is over, the hub invites the worker to another.
//
// # A worker that dies
//
// If the stream of a worker ends, or the worker is silent for alivePatience, its assignments go to others. That two workers
// run an assignment makes no difference: what comes of a job is the same everywhere, and the coordinator takes the first
// results of an assignment.
package workqueue
