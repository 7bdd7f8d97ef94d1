package node

import "time"

const (
	// MaxInbox is how many requests wait for the owner of the network. A message
	// that finds no room is refused with 503; nothing is lost unseen. Ours.
	MaxInbox = 4096
	// MaxBatch is how many requests the owner takes between two rounds. Ours.
	MaxBatch = 1024
	// MaxEvents is how many of the newest events an instance remembers, MaxEventBytes what
	// they and their texts may take, where its configuration says nothing. Ours.
	MaxEvents     = 16_384
	MaxEventBytes = 32 << 20
	// ReaderRest is how long a reader of events waits at least between two wakings. Ours.
	ReaderRest = time.Millisecond
	// chunksPerRing is how many chunks a full ring has at least: the oldest is forgotten as a
	// whole. Chunks have minChunk to maxChunk events. Ours.
	chunksPerRing = 64
	minChunk      = 4
	maxChunk      = 256
)
