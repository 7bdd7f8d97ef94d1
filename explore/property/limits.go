package property

const (
	// maxProbe is how many messages a probe of an operation takes at most before it counts as never answered (ours).
	maxProbe = 1000
	// later is how long the second probe of an operation that does not work waits, in nanoseconds: a day (ours).
	later = 24 * 60 * 60 * 1_000_000_000
	// maxCanisters is how many canisters are searched for the invariants that they state (ours).
	maxCanisters = 10_000
)
