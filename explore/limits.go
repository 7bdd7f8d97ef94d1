package explore

const (
	// titleWidth is the maximum width of the arguments in the title of an operation, in columns (ours).
	titleWidth = 60
	// maxFaults is how many faults a run may have (ours).
	maxFaults = 8
	// maxWaits is how often a run may wait for a timer (ours).
	maxWaits = 1000
)
