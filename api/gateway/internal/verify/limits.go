package verify

const (
	// maxAge is how far the time of a certificate may be from the present, in nanoseconds (HTTP gateway protocol
	// specification, "Certificate Validation": 5 minutes).
	maxAge = 300_000_000_000
	// maxExpression limits an expression, in bytes. Ours; the specification has no limit.
	maxExpression = 16 << 10
	// maxExpressionDepth limits the nesting of expressions. The specification's have 6 levels.
	maxExpressionDepth = 16
	// maxSegments limits the segments of an expression path. Ours; the specification has no limit.
	maxSegments = 256
	// maxDecoded limits the bytes of a compressed body that are decoded to compute its hash. Ours.
	maxDecoded = 256 << 20
	// maxProven limits the remembered certificates. Ours.
	maxProven = 128
)
