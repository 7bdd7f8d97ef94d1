package state

// Second is the unit of deadlines, in nanoseconds.
const Second = 1_000_000_000

// Limits of a subnet's state.
const (
	// KeepAnswer is how long an answer is kept at least (specification: 5 minutes).
	KeepAnswer = 300_000_000_000
	// MaxIngressMessages is the size of the ingress history (the replica's: 600,000).
	MaxIngressMessages = 600_000
	// forgottenAnswers is how many answers that were forgotten early may stand in the order of
	// answers, beside twice as many as are known. Ours.
	forgottenAnswers = 1024
	// MaxAnswerBytes is how much memory kept answers take (the replica's: 4 GiB;
	// ours is smaller, as a local machine's memory is).
	MaxAnswerBytes = 1 << 30
	// StopTimeout is how long a stop_canister waits (the replica's: 5 minutes).
	StopTimeout = 300_000_000_000
	// RequestLifetime is how long a request with guaranteed response waits for room in a
	// stream, in nanoseconds (the replica's: 5 minutes).
	RequestLifetime = 300_000_000_000
	// MaxDays is for how many days the nodes' blocks are kept (specification: 60).
	MaxDays = 60
	// RoundTime is how long a round is taken to last at most, in nanoseconds: about mainnet's time between rounds. An
	// idle network has none, and debits are worked off all the same.
	RoundTime = 1_000_000_000
	// blockLen is how many canisters lie in a block, of which source and fork part together. Ours.
	blockLen = 32
	// MaxManagementQueue is how many calls of the management canister wait for
	// execution on one subnet. Ours; the replica bounds them by message memory.
	MaxManagementQueue = 100_000
)
