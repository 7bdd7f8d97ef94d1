package snapshotdir

const (
	// MaxSliceBytes is the maximum size of a part that is read or written at once (the replica's: 2,000,000; icp-cli uses
	// the same).
	MaxSliceBytes = 2_000_000
	// maxJSONBytes limits the JSON files of a directory: 10,000 globals and the largest chunk store have less than 1 MiB.
	// Ours.
	maxJSONBytes = 16 << 20
	// holeBytes is the size of blocks of zeros that are not written, so that they take no space. Ours.
	holeBytes = 64 << 10
	// slicesPerSync is the number of slices after which files are synced and progress is recorded: what a crash loses is
	// transferred again. Ours.
	slicesPerSync = 16
)
