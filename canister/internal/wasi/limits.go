package wasi

// Limits of the functions. All are ours: WASI has none.
const (
	maxVectors       = 1024     // buffers of one read or write (IOV_MAX of most systems)
	maxSubscriptions = 1024     // of one poll_oneoff
	maxLine          = 32 << 10 // bytes of a line of a stream; a longer one is cut into records
	pieceBytes       = 64 << 10 // bytes between two checks of the instructions left
)

// Charges, in instructions.
const (
	plain = 500 // a call, as of most functions of the System API
)
