package instance

import "time"

const (
	// MaxInstances is the largest number of instances of a registry. Ours.
	MaxInstances = 10_000
	// MaxKept is the largest number of instances that a registry keeps on disk: each has a store with open files, and
	// all of them are started again with the daemon. Ours.
	MaxKept = 256
	// MaxSnapshots is the largest number of snapshots of an instance. Ours.
	MaxSnapshots = 1000
	// MaxAncestors is the largest number of ancestors that an instance remembers. Ours.
	MaxAncestors = 1000
	// networkIDBytes is the length of the random id of a network. Ours.
	networkIDBytes = 16
	// maxNameBytes is the largest length of the name of an instance or a snapshot. Ours.
	maxNameBytes = 64
	// eventShare bounds the events that an instance remembers to 1/eventShare of its memory budget. Ours.
	eventShare = 8
	// keysTogether is how many keys of subnets are derived together, for several instances. Ours.
	keysTogether = 16
)

// MinInterval and MaxInterval bound the time between two rounds of interval pacing. DefaultInterval is used if none is
// given. Ours.
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
	// rootInterval is the shortest time between two certified roots that are computed only for the journal, rootRecords
	// the most records in it for which there is a root: a network under load does not wait for roots. Ours.
	rootInterval = 5 * time.Millisecond
	rootRecords  = 32
)

const (
	// maxRunRounds is the largest number of rounds of one RunRounds. Ours.
	maxRunRounds = 100_000
	// defaultMaxRounds is the limit of rounds that count (driver.Rounds) of RunUntil if the request has none. Ours.
	defaultMaxRounds = 1_000_000
)

const (
	// systemCallRounds is the largest number of rounds that count of a call that installs a system canister. Ours.
	systemCallRounds = 1000
	// systemCallExpiry is how long such a call may wait for its first round, in nanoseconds. Ours.
	systemCallExpiry = 60_000_000_000
)
