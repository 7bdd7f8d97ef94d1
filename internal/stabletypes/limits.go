package stabletypes

// Limits on the cost of a signature. The compiler sets none of them, except a depth of comparison of 10,000.
const (
	// MaxBytes limits the text of a signature. The largest of the compiler's own tests has 60 KB.
	MaxBytes = 4 << 20

	// MaxDepth limits how deeply the types of a text and the pairs of a comparison nest.
	MaxDepth = 200

	// MaxPairs limits the pairs of types in one comparison.
	MaxPairs = 20_000

	// MaxTypeBytes limits the text of one type in a comparison. Types grow if a definition applies itself to a larger
	// argument.
	MaxTypeBytes = 64 << 10

	// MaxShownBytes limits the text of a type in a difference.
	MaxShownBytes = 120
)
