package verify

const (
	// maxAge is how far the time of a certificate may be from the present, in nanoseconds (HTTP gateway protocol
	// specification, "Certificate Validation": 5 minutes).
	maxAge = 300_000_000_000
	// maxExpression is the length of an expression, in bytes. Ours; the specification has no limit.
	maxExpression = 16 << 10
	// maxExpressionDepth is how deep expressions nest. The specification's have 6 levels.
	maxExpressionDepth = 16
	// maxSegments is how many segments an expression path has. Ours; the specification has no limit.
	maxSegments = 256
	// maxDecoded is how many bytes of a compressed body are decoded to compute its hash. Ours.
	maxDecoded = 256 << 20
	// maxProven is how many certificates are remembered, in each of two generations. Ours.
	maxProven = 64
)
