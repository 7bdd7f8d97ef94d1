package daemon

import "time"

const (
	// maxConnections limits the connections of clients. The limit is also half of the available descriptors, but at
	// least minConnections. Ours.
	maxConnections = 20_000
	minConnections = 8
	// silentGrace is how long a connection without a request is spared before it may be closed for a new one,
	// begunGrace how long one whose request has begun to arrive. Ours.
	silentGrace = 20 * time.Millisecond
	begunGrace  = 250 * time.Millisecond
	// maxStreams limits the open streams of a connection of HTTP/2, which gateways with TLS speak: each has a goroutine,
	// and other requests wait behind those of clients that open streams and reset them at once. RFC 9113 recommends at
	// least 100 (section 6.5.2); browsers open 6 connections of HTTP/1. Ours.
	maxStreams = 32
	// fallbackDescriptors is the assumed limit of descriptors if the system reports none.
	fallbackDescriptors = 16_384
	// maxCompileWall is when a compile worker is killed. Accepted modules are estimated at a fifth of it at most, so
	// only an overloaded machine comes near. Ours.
	maxCompileWall = 5 * time.Minute
	// maxWorkerMemory is the memory limit of a compile worker, in bytes, if the system can enforce it (Linux). Ours.
	maxWorkerMemory = 4 << 30
	// maxAssistantBytes is the largest request of an assistant. Ours.
	maxAssistantBytes = 1 << 20
	// maxTokenBytes is the largest file of the inspector's token. Ours.
	maxTokenBytes = 256
	// maxCertificateFile is the largest file of a certificate or key of a gateway, in bytes. Ours.
	maxCertificateFile = 1 << 20
	// workerNiceness is the niceness of a compile worker. Ours.
	workerNiceness = 10
	// maxWorkerText is how many bytes of a compile worker's output are kept. Ours.
	maxWorkerText = 4 << 10
)

// Memory. All ours; the specification has none.
const (
	// MinMemoryLimit is the smallest Config.MemoryLimit.
	MinMemoryLimit = 128 << 20
	// defaultMemory is the assumed memory of a machine that does not report it.
	defaultMemory = 8 << 30
	// Of the limit, 1/dataShare is for counted bytes: the rest is for garbage, copies, and bytes that are not counted.
	// 1/requestShare is for requests of each interface while they are read and answered, and
	// instanceShare/instanceShareOf for one instance. Of the counted bytes, 1/eventShare is for the events that all
	// instances remember.
	dataShare                      = 2
	requestShare                   = 8
	instanceShare, instanceShareOf = 3, 8
	eventShare                     = 4
	// reclaimInterval is how often the daemon checks for memory to return to the system, reclaimRest how many checks it
	// skips after that, reclaimBytes the least to return. The daemon is idle if it allocates fewer than idleAllocation
	// bytes in an interval.
	reclaimInterval = time.Second
	reclaimRest     = 2
	reclaimBytes    = 32 << 20
	idleAllocation  = 16 << 20
	// evictTicks is after how many of these checks canisters are evicted that ran nothing since the last time: a message
	// makes one ready again in less than 0.1 ms. residentBytes is what the Go runtime then frees for each, at least.
	evictTicks    = 2
	residentBytes = 32 << 10
)
