package demangle

const (
	// maxDepth is how deeply the parts of a v0 symbol nest (rustc-demangle's: 500).
	maxDepth = 500

	// maxTextBytes is the size of a readable name (rustc-demangle's: 1,000,000). What is
	// longer ends with "{size limit reached}". Rejects and logs show less than this of a
	// backtrace, and a backtrace in memory has as many names as it has frames.
	maxTextBytes = 1 << 14

	// maxSteps is how many bytes of a v0 symbol are read, each time a back reference leads to
	// them again (rustc-demangle's: no limit). A name above it ends like one that is too long.
	// Real symbols of a few hundred bytes take some thousands; a million take about 10 ms.
	maxSteps = 1_000_000

	// maxUnicodeRunes is the length of an identifier that is decoded from Punycode
	// (rustc-demangle's: 128). Longer ones are shown encoded.
	maxUnicodeRunes = 128
)
