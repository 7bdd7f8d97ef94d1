package state

// Second is the unit of deadlines, in nanoseconds.
const Second = 1_000_000_000

// Limits of a subnet's state.
const (
	// KeepAnswer is the minimum time for which an answer is kept (specification: 5 minutes).
	KeepAnswer = 300_000_000_000
	// MaxIngressMessages is the size of the ingress history (the replica's: 600,000).
	MaxIngressMessages = 600_000
	// forgottenAnswers is how many answers that were forgotten early may be in the order of answers, in addition to
	// twice the number of known ones. Ours.
	forgottenAnswers = 1024
	// MaxAnswerBytes is the maximum memory of kept answers (the replica's: 4 GiB; ours is smaller, as a local machine's
	// memory is).
	MaxAnswerBytes = 1 << 30
	// recordBytes is the memory of a message's record, and knownBytes the memory of its entries in tables and certified
	// trees. Ours; TestWhatMessagesTakeIsCharged compares them with the heap.
	recordBytes = 400
	knownBytes  = 800
	// StopTimeout is how long a stop_canister waits (the replica's: 5 minutes).
	StopTimeout = 300_000_000_000
	// RequestLifetime is how long a request with guaranteed response waits for room in a
	// stream, in nanoseconds (the replica's: 5 minutes).
	RequestLifetime = 300_000_000_000
	// MaxDays is the number of days for which the nodes' blocks are kept (specification: 60).
	MaxDays = 60
	// RoundTime is the maximum duration of a round that is assumed, in nanoseconds: about mainnet's time between
	// rounds. An idle network has no rounds, but debits are reduced all the same.
	RoundTime = 1_000_000_000
	// blockLen is the number of canisters in a block, which source and fork copy together. Ours.
	blockLen = 32
	// MaxManagementQueue is how many calls of the management canister wait for
	// execution on one subnet. Ours; the replica bounds them by message memory.
	MaxManagementQueue = 100_000
)
