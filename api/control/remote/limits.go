package remote

import "time"

const (
	// MaxRequest and MaxResponse are the largest messages of the control API, in bytes; larger things are streamed.
	MaxRequest  = 4 << 20
	MaxResponse = 64 << 20
	// chunkBytes is how much of a stream goes into one message.
	chunkBytes = 1 << 20
	// firstPause and lastPause bound the pauses between attempts to connect again.
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
)
