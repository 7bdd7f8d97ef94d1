package daemon

const (
	// MaxInstances is how many instances a daemon has at most. Ours.
	MaxInstances = 10_000
	// MaxSnapshots is how many snapshots an instance has at most. Ours.
	MaxSnapshots = 1000
	// maxConnections is how many connections of clients a daemon has at most, and no more than
	// half of the descriptors it may have, but at least minConnections. Ours.
	maxConnections = 20_000
	minConnections = 8
	// fallbackDescriptors is how many descriptors there are where the system does not say.
	fallbackDescriptors = 16_384
	// maxNameBytes is how long the name of an instance or a snapshot is at most. Ours.
	maxNameBytes = 64
)
