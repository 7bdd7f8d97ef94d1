package sourcelines

const (
	// MaxModuleBytes is the maximum size of a module. A replica accepts modules of 100 MiB.
	MaxModuleBytes = 100 << 20
	// MaxDebugFileBytes is the maximum size of a separate file with debug information. Ours.
	MaxDebugFileBytes = 512 << 20
	// MaxSourceMapBytes is the maximum size of a source map, which may have the sources in it. Ours.
	MaxSourceMapBytes = 128 << 20
	// MaxFunctions is the maximum number of functions of a module. A replica accepts 50,000.
	MaxFunctions = 1 << 20
	// MaxUnits is the maximum number of units of debug information. Ours; large canisters in Rust have some thousands.
	MaxUnits = 1 << 16
	// MaxAbbreviationBytes is how much of .debug_abbrev is read, over all units: units may share a table, or have
	// overlapping ones. Ours: debug/dwarf makes up to 260 MiB of it. Large canisters in Rust have 4 MiB.
	MaxAbbreviationBytes = 16 << 20
	// MaxAttributes is the maximum number of attributes of an abbreviation. Ours; compilers use up to 30.
	MaxAttributes = 64
	// MaxNameBytes is the length to which names of directories and files are cut. Ours; Linux allows 4,096 bytes.
	MaxNameBytes = 1 << 10
	// MaxTableNames is the maximum number of directories, and of files, of a line table or a source map. Ours.
	MaxTableNames = 1 << 16
	// MaxFiles is the maximum number of files that have lines. Ours: 64 MiB with names of the maximum length.
	MaxFiles = 1 << 16
	// MaxRows is the maximum number of rows of all line tables, or of segments of a source map: 48 MiB. Ours; a code
	// section of 12 MiB, the maximum of a replica, has about 3 million.
	MaxRows = 1 << 22
	// MaxLine is the maximum number of a line. Ours; numbers beyond it are damage.
	MaxLine = 1 << 24
)
