package wire

// Limits of the interface specification ("Authentication", "Request: Read state"); requests above them are refused
// before any signature is checked.
const (
	MaxDelegations          = 20    // specification: 20 (its CDDL still says 4)
	MaxTargetsPerDelegation = 1_000 // specification: 1,000
	MaxNonceBytes           = 32    // specification: 32
	MaxPaths                = 1_000 // specification: 1,000
	MaxLabelsPerPath        = 127   // specification: 127
)

// Limits the specification leaves to the implementation.
const (
	// MaxBodyBytes bounds a request body; the replica's own limit. An ingress message may have a smaller limit, outside
	// of this package.
	MaxBodyBytes = 5 << 20
	// firstBody is the first memory for a body, whatever length is announced. Ours.
	firstBody = 64 << 10
	// maxNesting bounds the nesting of arrays, maps and tags. The deepest request, a delegation's targets, needs 6 with
	// its outer tag.
	maxNesting = 12
	// maxItems bounds the data items of one body. The largest legal request,
	// MaxPaths paths of MaxLabelsPerPath labels, has 128,000 and its delegations
	// 20,000 more.
	maxItems = 1 << 18
	// maxPairs bounds the fields of one map. The largest legal one has 8.
	maxPairs = 32
	// maxBytesInText bounds a key or signature in a refusal's text. The replica repeats all of it; no key of a plain
	// scheme is that long.
	maxBytesInText = 1024
)

// The window in which a request may be submitted (interface specification,
// "Authentication"; the drift is the replica's allowance for slow clocks).
const (
	MaxIngressTTL  uint64 = 5 * 60 * 1e9 // ns; specification: 5 minutes
	PermittedDrift uint64 = 30 * 1e9     // ns; replica: 30 seconds
)

// RSA keys of security devices (the replica's limits; the exponent's is the
// library's).
const (
	minRSABits         = 2048
	maxRSABits         = 8192
	maxRSAExponentBits = 31
)

// maxSeenSignatures bounds the valid signatures by subnets that are remembered, 32 bytes each (the replica's cache:
// 10,000 entries).
const maxSeenSignatures = 10_000

// maxCanisterSignature bounds a canister signature, in bytes: decoded, it takes about fifty times as much memory. Ours;
// the largest real ones have a few thousand.
const maxCanisterSignature = 256 << 10

// maxEd25519Batch bounds the Ed25519 signatures that one goroutine checks at once: more save little, and others wait
// meanwhile. Ours.
const maxEd25519Batch = 16

const (
	// maxEd25519Alone is how many signatures one after the other have to be alone in their batches until only one of
	// ed25519Probe opens a batch. Ours.
	maxEd25519Alone = 4
	ed25519Probe    = 16
)
