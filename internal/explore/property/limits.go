package property

const (
	// maxProbe is how many messages a probe of an operation delivers before the operation counts as never answered (ours).
	maxProbe = 1000
	// later is how long after the run a failing operation is probed again, in nanoseconds: a day (ours).
	later = 24 * 60 * 60 * 1_000_000_000
	// maxTerms is how many queries and values an invariant has at most (ours).
	maxTerms = 100
	// maxCanisters is how many canisters are searched for invariants (ours).
	maxCanisters = 10_000
)
