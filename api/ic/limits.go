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

	// MaxSignDelay is how long a signature waits for calls that could share it. A
	// signature takes about a tenth of that. Ours; the replica signs once a round.
	MaxSignDelay = 2 * time.Millisecond
	// signPoll is the interval at which a waiting signature checks whether the others have come.
	signPoll = 100 * time.Microsecond

	// corsMaxAge is how long a browser may remember what it may send, in seconds.
	corsMaxAge = "600"

	// retryAfter is after how many seconds a client that was refused for lack of memory tries
	// again. Ours.
	retryAfter = "1"
	// largeBody is how many bytes a body has that waits for a place to be decoded. Ours.
	largeBody = 256 << 10
	// firstBody is how much memory a body gets at first, whatever length is
	// announced. Ours.
	firstBody = 64 << 10
)
