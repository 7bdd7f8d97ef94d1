package rehearse

// Limits of a rehearsal, and the limits of the network that it compares with.
const (
	// InstallInstructions limits the instructions of all hooks of an upgrade together on mainnet's application subnets.
	InstallInstructions = 300_000_000_000

	// HeapBytes and HeapBytes64 are the most that a heap with 32-bit and with 64-bit addresses can have.
	HeapBytes   = 4 << 30
	HeapBytes64 = 6 << 30

	// Repetitions is how often each operation is executed before an upgrade whose instructions are compared with those
	// of an upgrade of the present state.
	Repetitions = 64

	// MinGrowth is the least growth of an upgrade's instructions, by each repetition, that is reported. What a hook does
	// may vary a little with values.
	MinGrowth = 100

	// ReachedCalls is after how many calls a canister may be. An upgrade that exceeds its instructions after so many or fewer
	// fails the rehearsal, and after more it is noted. Ten calls a second are so many in four months.
	ReachedCalls = 100_000_000

	// ReachedFactor is the same without operations: by how much the state of a canister may grow.
	ReachedFactor = 10

	// LargeUpgrade is the part of InstallInstructions, as a divisor, from which the hooks of an upgrade are estimated without
	// operations: one hundredth.
	LargeUpgrade = 100

	// SettleRounds limits the rounds in which calls in flight are answered after the upgrade.
	SettleRounds = 1_000

	// VolatileRounds is the number of rounds after which a query is asked again: an answer that differs then depends on
	// the time.
	VolatileRounds = 3

	// MaxQueries limits the queries that are compared.
	MaxQueries = 200

	// MaxAnswerBytes limits an answer in a finding.
	MaxAnswerBytes = 300

	// MaxModuleBytes limits a module without gzip whose metadata is read. Mainnet: 100 MiB.
	MaxModuleBytes = 256 << 20

	// HeaderBytes is how much of stable memory is compared for the header of a memory manager.
	HeaderBytes = 8

	// ExploreRuns limits the runs of the exploration with an upgrade.
	ExploreRuns = 2_000
)
