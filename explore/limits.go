package explore

const (
	// titleWidth is how many columns the arguments of an operation take in its title (ours).
	titleWidth = 60
	// maxFaults is how many faults a run may have (ours).
	maxFaults = 8
	// maxWaits is how often a run may wait for a timer (ours).
	maxWaits = 1000
)
