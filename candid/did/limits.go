package did

// Limits on a file and what it imports. The specification sets none.
const (
	// MaxDefinitions limits the type definitions of a file and its imports.
	MaxDefinitions = 20_000
	// MaxImports limits the files imported, directly and indirectly.
	MaxImports = 256
	// MaxExampleParts limits the records and variants in an example of an argument.
	MaxExampleParts = 100
)

// Limits on the JSON form. The specification does not define it.
const (
	// MaxJSONBytes limits a JSON text that we read: a blob of the largest message, 2 MiB, fits even as an array of
	// numbers.
	MaxJSONBytes = 16 << 20
	// MaxJSONOutput limits a JSON text that we write. A message limits its values and an interface its names, but every
	// record repeats the names.
	MaxJSONOutput = 64 << 20
	// FillBase and FillPerByte limit the absent fields filled in for a text of n bytes, FillBase + n·FillPerByte: "{}"
	// may stand for any number of them.
	FillBase    = 50_000
	FillPerByte = 1
)
