package certify

const (
	// bucketSize is the largest map whose shape is chosen as a whole; larger ones are split by bits first. A new label
	// in a large map costs at most this many hashes in addition to those of its path. Ours; the specification leaves
	// the shape free.
	bucketSize = 32

	// tableKeys is after how many subnet keys of a process the table of the generator is made: that takes as long as 15 keys
	// without it. Ours.
	tableKeys = 32

	// MaxNesting is how many levels of arrays and maps an agent reads: the
	// default of the CBOR library below agent-go. The specification names none.
	MaxNesting = 32

	// maxWitnessDepth bounds the recursion over a hash tree that comes from
	// outside. Ours; the specification allows paths of 127 labels, a level
	// and at least one fork each.
	maxWitnessDepth = 512

	// maxWitnessNodes bounds the memory a hash tree from outside takes, about
	// 25 MB. Ours; 1,000 paths of a full subnet take some 40,000 nodes.
	maxWitnessNodes = 1 << 18

	// MaxCertificateBytes is the longest certificate DecodeCertificate reads.
	// Ours: a reply of 2 MiB (the specification's largest), its witness and a
	// delegation fit several times.
	MaxCertificateBytes = 8 << 20

	// MaxPathLabels is the number of labels in a path (interface
	// specification, "Request: Read state": 127).
	MaxPathLabels = 127

	// maxRanges bounds a decoded list of canister ranges. Ours; mainnet's
	// largest has some hundreds.
	maxRanges = 1 << 16

	// maxControllers bounds a decoded controllers value (interface
	// specification, canister settings: 10).
	maxControllers = 10
)
