package daemon

const (
	// MaxInstances is how many instances a daemon has at most. Ours.
	MaxInstances = 10_000
	// MaxSnapshots is how many snapshots an instance has at most. Ours.
	MaxSnapshots = 1000
	// maxNameBytes is how long the name of an instance or a snapshot is at most. Ours.
	maxNameBytes = 64
)
