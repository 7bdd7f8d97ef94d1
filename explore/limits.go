package explore

const (
	// titleWidth is how many columns the arguments of an operation take in its title (ours).
	titleWidth = 60
	// maxFaults is how many faults a run may have (ours).
	maxFaults = 8
)
