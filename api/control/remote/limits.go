package remote

import "time"

const (
	// MaxMessage is the largest message of the control API in either direction, in bytes.
	MaxMessage = 64 << 20
	// chunkBytes is how much of a stream goes into one message.
	chunkBytes = 1 << 20
	// firstPause and lastPause bound the pauses between attempts to connect again.
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
)
