package ic

import (
	"time"

	"github.com/canisterd/canisterd/api/internal/wire"
)

const (
	// MaxBodyBytes is the size of a request body (the replica's: 5 MiB).
	MaxBodyBytes = wire.MaxBodyBytes

	// AnswerTimeout is how long a synchronous call waits for its answer (the
	// replica's: 10 seconds).
	AnswerTimeout = 10 * time.Second

	// corsMaxAge is how long a browser may remember what it may send, in seconds.
	corsMaxAge = "600"

	// firstBody is how much memory a body gets at first, whatever length is
	// announced. Ours.
	firstBody = 64 << 10
)
