package pocketic

import "time"

const (
	// defaultPatience is how long a client waits for an operation by default before it gets a ticket (PocketIC: 10
	// seconds). Ours is longer than clients wait, because some of them take a ticket for an answer, and shorter than
	// those that wait longest.
	defaultPatience = 280 * time.Second
	// awaitRounds is how many rounds an awaited call may take (PocketIC's), of those that count (driver.Rounds).
	awaitRounds = 100
	// livePatience is how long a call is awaited in a live instance.
	livePatience = 5 * time.Minute
	// ingressLifetime is how long a call may wait for its execution, in nanoseconds
	// (PocketIC's: 5 minutes of the instance's time).
	ingressLifetime = 300_000_000_000
	// maxCreateBytes is the largest signed call that adds a subnet of mainnet: it has the settings of a canister. Ours.
	maxCreateBytes = 64 << 10
	// MaxSignedBytes is the largest body of the Internet Computer's HTTP interface (PocketIC's: that of boundary
	// nodes).
	MaxSignedBytes = 4 << 20
	// maxOperationBytes is the largest body of an operation (PocketIC's: none). A message has 2 MiB, and the response
	// to an outcall of 34 nodes 68 MiB, both in Base64.
	maxOperationBytes = 128 << 20
	// maxConfigBytes is the largest configuration of an instance or a gateway. Ours.
	maxConfigBytes = 1 << 20
	// jsonCost is how many bytes are reserved for a byte of JSON: it, its buffer and what it is decoded to. Ours.
	jsonCost = 3
	// blobCost is how many bytes a blob takes beside its content. Ours.
	blobCost = 512
	// stablePiece is how many bytes of a stable memory are read at once. Ours; a multiple of 3, for Base64.
	stablePiece = 768 << 10
	// firstBody is the size of the first buffer of a body. Ours.
	firstBody = 16 << 10
	// pieceBytes is how much of a body is copied or hashed in one step. To start a collection, the garbage collector
	// stops all instances and waits for the current step. Ours.
	pieceBytes = 1 << 20
	// maxResults is how many results are kept whose clients have not fetched and pruned them, the newest ones. Ours.
	maxResults = 10_000
	// maxMetadata is the largest file of metadata of a snapshot: it has a line for each global and for each byte of the
	// hashes of chunks. Ours.
	maxMetadata = 4 << 20
	// leftoverAge is how much older than a file that is being written others are that a killed server has left. Ours.
	leftoverAge = time.Hour
	// snapshotPiece is how many bytes of a snapshot one call moves (PocketIC's).
	snapshotPiece = 2_000_000
)

// Times of instances, in nanoseconds.
const (
	genesis       = 1_620_328_630_000_000_000 // 2021-05-06T19:17:10Z
	earliestStart = genesis
	// mintingStart is the earliest start of an instance with the cycles minting canister (PocketIC's).
	mintingStart = 1_620_633_601_000_000_000
	// latestTime is the latest time to which an instance may be moved, 2262-04-11T23:47:15Z: deadlines and archives
	// have 63 bits.
	latestTime = 9_223_372_035_000_000_000
)
