package introspect

// Limits of lists.
const (
	// MaxListed is how many entries a page of a list has. Ours.
	MaxListed = 1000
	// MaxDifferences is how many differences between two networks are listed. Ours.
	MaxDifferences = 1000
	// MaxDifferingRecords is how many differing log records of two canisters are listed, and MaxDifferingText how many
	// bytes of each. Ours.
	MaxDifferingRecords = 20
	MaxDifferingText    = 200
)
