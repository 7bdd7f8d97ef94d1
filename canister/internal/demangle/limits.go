package demangle

const (
	// maxDepth is how deeply the parts of a v0 symbol may nest (rustc-demangle: 500).
	maxDepth = 500

	// maxTextBytes is the maximum size of a readable name (rustc-demangle: 1,000,000). A longer one ends with "{size
	// limit reached}". Rejects and logs show less than this of a backtrace, and a backtrace in memory has as many names
	// as it has frames.
	maxTextBytes = 1 << 14

	// maxSteps is how many bytes of a v0 symbol are read, counting bytes again for each back reference to them
	// (rustc-demangle: no limit). A name above it ends like one that is too long. Real symbols of a few hundred bytes
	// take some thousands; a million take about 10 ms.
	maxSteps = 1_000_000

	// maxUnicodeRunes is the maximum length of an identifier that is decoded from Punycode (rustc-demangle: 128).
	// Longer ones are shown encoded.
	maxUnicodeRunes = 128
)
