package clone

import "time"

const (
	// parallelReads is how many slices are on their way from a source at the same time, parallelWrites how many to an
	// instance, which is near and loads them one after the other. Each takes a few megabytes, in a daemon six times as much.
	// Ours.
	parallelReads  = 4
	parallelWrites = 2
	// maxRecordBytes limits the file that describes a clone: a status has less than 10 KiB. Ours.
	maxRecordBytes = 1 << 20
	// maxPublishedBytes limits a published module (specification: 100 MiB).
	maxPublishedBytes = 100 << 20
	// MaxMembers is the maximum number of canisters that are cloned together with those that they call. Ours.
	MaxMembers = 50
	// maxControllers is the maximum number of controllers of a canister (specification: 10).
	maxControllers = 10
	// snapshotInstructions is what taking a snapshot costs in addition to its bytes, sliceInstructions what reading a slice
	// costs in addition to its bytes (the replica's: 2,000 M and 5 M).
	snapshotInstructions = 2_000_000_000
	sliceInstructions    = 5_000_000
	// requestBytes is about the size of a signed request for a slice. Ours, for estimates.
	requestBytes = 500
	// cleanUpTime is how long deleting a snapshot at the source may take after an interruption. Ours.
	cleanUpTime = 30 * time.Second
)

// loadingCycles is the balance of a canister while it is loaded, so that no step fails for lack of cycles: 10^24. Ours.
const loadingCycles = "1000000000000000000000000"

// defaultCycles is the balance of a clone if that of its source is not known: that of new canisters, 100 T.
const defaultCycles = "100000000000000"
