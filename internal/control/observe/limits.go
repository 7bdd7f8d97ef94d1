package observe

const (
	// maxObserved is the number of queries without arguments whose results are compared. Ours.
	maxObserved = 40
	// maxSuggested is the number of invariants that are suggested. Ours.
	maxSuggested = 8
)
