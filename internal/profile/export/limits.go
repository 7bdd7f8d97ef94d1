package export

const (
	// MaxFrames is the maximum number of frames of all call stacks of a file together: 64 MiB while it is written. Of a
	// profile that has more, the deepest frames are moved up (shallow). Ours; pprof and Speedscope have no limit.
	MaxFrames = 1 << 23
	// MaxFoldedBytes is MaxFrames for the text of Folded, in bytes without the numbers. Ours; a browser does not open a
	// larger flame graph.
	MaxFoldedBytes = 64 << 20
	// MaxFoldedLabel is how many characters of a frame Folded writes: a line has many of them. Ours.
	MaxFoldedLabel = 160
	// MaxFileBytes is the maximum size of a file that Read reads, and MaxUnpackedBytes its maximum size without
	// compression: what Pprof writes of MaxFrames frames and profile.MaxTotalNameBytes bytes of names is smaller.
	// Ours.
	MaxFileBytes     = 64 << 20
	MaxUnpackedBytes = 128 << 20
	// MaxEntries is the maximum number of strings, functions, locations and mappings of a file together: a node of a
	// profile has at most 7. Ours.
	MaxEntries = 1 << 21
	// MaxTreeDepth is how many nested frames Tree shows: each line is as long as it is deep. Ours, as trace.MaxDepth.
	MaxTreeDepth = 64
	// MaxCells is how many columns of a terminal a frame takes in tables and trees. Ours.
	MaxCells = 120
)

const (
	// DefaultTop is how many functions Text and Compare show unless the user says so. Ours; pprof shows all.
	DefaultTop = 20
	// DefaultShare is the share of all instructions from which Tree shows a frame unless the user says so. Ours.
	DefaultShare = 0.01
)
