package explore

// Limits of explorations. The specification has none.
const (
	defaultRuns    = 10_000
	maxChoices     = 10_000 // of one run: it is stopped there, and most likely never ends
	maxFindings    = 10     // with different errors: the exploration ends
	maxShortenRuns = 500    // to shorten the schedule of one finding
)
