// Package workqueue spreads the jobs of an exploration over workers on this and other computers, by NATS JetStream.
//
// It owns the coordinator, which is a pool of package campaign, the loop of workers, what both send each other, and the
// server that the coordinator starts where none is given. It must not know what is explored: the description and the base
// of a campaign are bytes, and a function makes them a worker.
//
// # A campaign
//
//	canisterd.explore.join        a worker asks for a campaign; the answer is its id, or why it may not take part
//	canisterd.explore.ID.jobs     assignments: some consecutive jobs each, a work queue in memory
//	canisterd.explore.ID.results  what came of assignments, a stream in memory
//	canisterd.explore.ID.alive    heartbeats: workers send one per second, and the coordinator acknowledges each
//	canisterd.explore.ID.end      the campaign is over
//
// The object store of a campaign has its description, its base (a network with its modules) and results that are too large
// for a message. Coordinators delete what they have made, and what coordinators have left that are gone.
//
// # A worker that dies
//
// A worker acknowledges an assignment when the server has its results, and prolongs it until then. The server gives an assignment that
// was not prolonged to another worker. That two workers run an assignment makes no difference: what comes of a job is the same
// everywhere, and the coordinator takes the first results of an assignment.
package workqueue
