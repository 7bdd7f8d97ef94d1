package driver

import "time"

const (
	// MaxInbox is how many requests wait for the owner of the network. A message that finds no room is refused as
	// unavailable; nothing is lost silently. Ours.
	MaxInbox = 4096
	// MaxBatch is how many requests the owner takes between two rounds. Ours.
	MaxBatch = 1024
	// MaxEvents is how many of the newest events an instance keeps, MaxEventBytes the maximum size of them and their
	// texts, unless its configuration sets them. Ours.
	MaxEvents     = 16_384
	MaxEventBytes = 32 << 20
	// MaxProfiledCalls is how many calls a profile follows at a time. What an older one causes is at the root. Ours.
	MaxProfiledCalls = 65_536
	// MaxPayload is the largest argument or reply that is kept with its event, in bytes. Ours.
	MaxPayload = 4 << 10
	// payloadRoom is the room for payloads that is allocated for each expected event, in bytes. Ours.
	payloadRoom = 64
	// ReaderRest is the minimum time between two wake-ups of a reader of events. Ours.
	ReaderRest = time.Millisecond
	// sleeperCredit is the advantage over busy drivers of a driver that did not use the shared processors, in
	// nanoseconds: for that time its messages go first. Ours.
	sleeperCredit = int64(20 * time.Millisecond)
	// chunksPerRing is the minimum number of chunks of a full ring: the oldest is forgotten as a whole. Chunks have
	// minChunk to maxChunk events. Ours.
	chunksPerRing = 64
	minChunk      = 4
	maxChunk      = 256
)

const (
	// messageOverhead is the memory of a message in addition to its argument, in bytes. Ours.
	messageOverhead = 512
	// largeArgument is the size from which an argument is charged before its round ends. Ours.
	largeArgument = 16 << 10
	// answerShare is the part of an instance's budget for kept answers, 1/answerShare. Ours; the replica keeps up to 4
	// GiB of them on a subnet.
	answerShare = 4
	// MaxDeliveredBytes is the maximum memory of large answers that clients have: a client whose connection broke can ask
	// again for one of the newest. largeAnswer is the size from which answers are large; smaller ones are kept for five
	// minutes. Ours: 32 slices of a snapshot, of 2 MB.
	MaxDeliveredBytes = 64 << 20
	largeAnswer       = 64 << 10
	// minRingBytes is what an instance keeps of its events when memory is short. Ours.
	minRingBytes = 1 << 20
	// holdStep is how many bytes of texts and payloads are counted at once. Ours.
	holdStep = 1 << 10
	// fairChunks is how many chunks the fair part of a driver in an EventMemory has room for at least, if they have
	// more than minChunk events. leastEventShare is the part of an EventMemory that is kept when memory is short,
	// 1/leastEventShare. Ours.
	fairChunks      = 4
	leastEventShare = 4
)

// Maximum numbers of queries that hold state of canisters while they wait for a slot: maxParked after their first
// slice, maxTrying before its end. In all, of one instance, of one canister, and of one sender to it. Ours; the replica
// runs at most 4 queries at once.
var (
	maxParked = [levels]int{allQueries: 1024, instanceQueries: 64, canisterQueries: 8, senderQueries: 4}
	maxTrying = [levels]int{allQueries: 256, instanceQueries: 64, canisterQueries: 16, senderQueries: 8}
)
