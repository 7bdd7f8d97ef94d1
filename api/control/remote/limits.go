package remote

const (
	// MaxRequest and MaxResponse are the largest messages of the control API, in bytes; larger things are streamed.
	MaxRequest  = 4 << 20
	MaxResponse = 64 << 20
	// chunkBytes is how much of a stream goes into one message.
	chunkBytes = 1 << 20
)
