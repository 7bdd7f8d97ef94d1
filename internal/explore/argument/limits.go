package argument

// Limits of drawn values (ours).
const (
	// maxDepth is how deep opts, vecs and records are nested in drawn values: deeper, opts are null and vecs are empty.
	maxDepth = 5
	// maxElements is how many elements a drawn vec has at most, and maxLong how many characters a long text.
	maxElements = 3
	maxLong     = 300
	// maxSmall is the largest of the small numbers, which are drawn most often.
	maxSmall = 10
	// maxBits is how many bits drawn numbers of unlimited types have at most.
	maxBits = 80
	// maxSeed is the number of seeds of generators, and maxTried how many of them are tried for simpler values.
	maxSeed  = 1 << 20
	maxTried = 64
	// maxKnown is how many numbers, and how many texts, are remembered.
	maxKnown = 64
)
