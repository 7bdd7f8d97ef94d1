package daemon

import "time"

const (
	// maxConnections is how many connections of clients a daemon has at most, and no more than
	// half of the descriptors it may have, but at least minConnections. Ours.
	maxConnections = 20_000
	minConnections = 8
	// silentGrace is how long a connection without a request is spared before it may be closed for a
	// new one, begunGrace how long one whose request has begun to come. Ours.
	silentGrace = 20 * time.Millisecond
	begunGrace  = 250 * time.Millisecond
	// fallbackDescriptors is how many descriptors there are where the system does not say.
	fallbackDescriptors = 16_384
	// maxCompileWall is when a compile worker is killed. Modules that are accepted are estimated at a fifth of it at
	// most, so only a machine that is far too busy comes near. Ours.
	maxCompileWall = 5 * time.Minute
	// maxWorkerMemory is what a compile worker may use, in bytes, where the system can enforce it (Linux). Ours.
	maxWorkerMemory = 4 << 30
	// workerNiceness is how much a compile worker gives way to other processes. Ours.
	workerNiceness = 10
	// maxWorkerText is how many bytes of a compile worker's last words are kept. Ours.
	maxWorkerText = 4 << 10
)

// Memory. All ours; the specification has none.
const (
	// MinMemoryLimit is the least Config.MemoryLimit.
	MinMemoryLimit = 128 << 20
	// defaultMemory is how much memory a machine is taken to have that does not say it.
	defaultMemory = 8 << 30
	// Of the limit, 1/dataShare is for bytes that are counted: the rest is for garbage, copies, and
	// what is not counted. 1/requestShare is for requests of each interface while they are read and
	// answered, and instanceShare/instanceShareOf for one instance.
	dataShare                      = 2
	requestShare                   = 8
	instanceShare, instanceShareOf = 3, 8
	// reclaimInterval is how often the daemon checks for memory to give back to the system, reclaimRest how many checks
	// it then skips, reclaimBytes how much there must be, and idleAllocation below how many bytes allocated in an
	// interval it is idle.
	reclaimInterval = time.Second
	reclaimRest     = 2
	reclaimBytes    = 32 << 20
	idleAllocation  = 16 << 20
)
