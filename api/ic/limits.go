package ic

import (
	"time"

	"github.com/canisterd/canisterd/api/internal/wire"
)

const (
	// MaxBodyBytes is the largest request body (the replica's: 5 MiB).
	MaxBodyBytes = wire.MaxBodyBytes

	// AnswerTimeout is how long a synchronous call waits for its answer (the replica's: 10 seconds).
	AnswerTimeout = 10 * time.Second

	// MaxSignDelay is how long a signature waits for calls that could share it. A signature takes about a tenth of
	// that. Ours; the replica signs once a round.
	MaxSignDelay = 2 * time.Millisecond
	// signPoll is how often a waiting signature checks whether the other calls have arrived.
	signPoll = 100 * time.Microsecond

	// corsMaxAge is how long a browser may cache the answer to a preflight, in seconds.
	corsMaxAge = "600"

	// retryAfter is the number of seconds after which a client that was refused for lack of memory retries. Ours.
	retryAfter = "1"
	// largeBody is the size of bodies that wait for a place to be decoded, in bytes. Ours.
	largeBody = 256 << 10
	// manyPaths is how many paths a request to read the state may have without waiting for a place. Ours; the
	// specification allows 1,000 paths.
	manyPaths = 32
)
