package instance

import "time"

const (
	// MaxInstances is how many instances a registry has at most. Ours.
	MaxInstances = 10_000
	// MaxKept is how many instances a registry keeps on disk at most: each has a store with open files, and all of them
	// are started again with the daemon. Ours.
	MaxKept = 256
	// MaxSnapshots is how many snapshots an instance has at most. Ours.
	MaxSnapshots = 1000
	// MaxAncestors is how many networks an instance remembers at most that it goes on from. Ours.
	MaxAncestors = 1000
	// networkIDBytes is the length of the random id of a network. Ours.
	networkIDBytes = 16
	// maxNameBytes is how long the name of an instance or a snapshot is at most. Ours.
	maxNameBytes = 64
	// eventShare is the part of its budget that an instance remembers events in, 1/eventShare. Ours.
	eventShare = 8
)

// MinInterval and MaxInterval bound the time between two rounds of pacing at an interval,
// DefaultInterval is the time where none is given. Ours.
const (
	MinInterval     = time.Millisecond
	DefaultInterval = time.Second
	MaxInterval     = time.Hour
)

const (
	// A checkpoint of a durable instance is due after so many records or bytes of records, and checkpointAge after the
	// first record. Ours.
	checkpointRecords = 100_000
	checkpointBytes   = 64 << 20
	checkpointAge     = 5 * time.Minute
	// rootInterval is the least time between two certified roots that are computed for the journal alone, and rootRecords how
	// many records there may be in it at most: a network under load does not wait for roots. Ours.
	rootInterval = 5 * time.Millisecond
	rootRecords  = 32
)

const (
	// maxRunRounds is how many rounds RunRounds runs at most. Ours.
	maxRunRounds = 100_000
	// defaultMaxRounds is how many rounds RunUntil runs where the request does not say. Ours.
	defaultMaxRounds = 1_000_000
)

const (
	// systemCallRounds is how many rounds a call may take by which a system canister is installed. Ours.
	systemCallRounds = 1000
	// systemCallExpiry is how long such a call may wait for its first round, in nanoseconds. Ours.
	systemCallExpiry = 60_000_000_000
)
