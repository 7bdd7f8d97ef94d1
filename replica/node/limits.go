package node

import "time"

const (
	// MaxInbox is how many requests wait for the owner of the network. A message
	// that finds no room is refused as unavailable; nothing is lost unseen. Ours.
	MaxInbox = 4096
	// MaxBatch is how many requests the owner takes between two rounds. Ours.
	MaxBatch = 1024
	// MaxEvents is how many of the newest events an instance remembers, MaxEventBytes what
	// they and their texts may take, where its configuration says nothing. Ours.
	MaxEvents     = 16_384
	MaxEventBytes = 32 << 20
	// MaxPayload is the largest argument or reply that is remembered with its event, in bytes. Ours.
	MaxPayload = 4 << 10
	// payloadRoom is the room for payloads that is made at once for each event to come, in bytes. Ours.
	payloadRoom = 64
	// ReaderRest is how long a reader of events waits at least between two wakings. Ours.
	ReaderRest = time.Millisecond
	// sleeperCredit is how much less than the busy nodes a node counts as having used of shared
	// processors that had nothing to do, in nanoseconds: so long its messages go first. Ours.
	sleeperCredit = int64(20 * time.Millisecond)
	// chunksPerRing is how many chunks a full ring has at least: the oldest is forgotten as a
	// whole. Chunks have minChunk to maxChunk events. Ours.
	chunksPerRing = 64
	minChunk      = 4
	maxChunk      = 256
)

const (
	// messageOverhead is what a message takes beside its argument, in bytes. Ours.
	messageOverhead = 512
	// largeArgument is from how many bytes on an argument is charged before its round ends. Ours.
	largeArgument = 16 << 10
	// answerShare is the part of an instance's budget that kept answers take, 1/answerShare. Ours; the
	// replica keeps up to 4 GiB of them on a subnet.
	answerShare = 4
	// minRingBytes is what an instance keeps of its events where memory is short. Ours.
	minRingBytes = 1 << 20
)

// How many queries that are not over hold state of canisters while they wait for a slot: maxParked
// after their first slice, maxTrying before its end. In all, of one instance, of one canister, and of
// one sender to it. Ours; the replica runs at most 4 queries at once.
var (
	maxParked = [levels]int{allQueries: 1024, instanceQueries: 64, canisterQueries: 8, senderQueries: 4}
	maxTrying = [levels]int{allQueries: 256, instanceQueries: 64, canisterQueries: 16, senderQueries: 8}
)
