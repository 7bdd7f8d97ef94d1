package profile

const (
	// MaxTreeNodes is the maximum number of nodes of one run: 14 MiB. A recursion makes a node for each level.
	MaxTreeNodes = 1 << 18
	// MaxNodes is the maximum number of nodes of a profile: 20 MiB.
	MaxNodes = 1 << 18
	// MaxNameBytes is the length to which names of a symbol and of its file are cut. A replica accepts names of 1 MiB.
	// MaxAllNameBytes is the maximum size of the names of a profile together: those of 80,000 functions of usual length.
	MaxNameBytes    = 1 << 10
	MaxAllNameBytes = 8 << 20
)
