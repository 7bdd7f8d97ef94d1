package did

// Limits on a file and what it imports. The specification sets none.
const (
	// MaxDefinitions bounds the type definitions of a file and its imports.
	MaxDefinitions = 20_000
	// MaxImports bounds the files imported, directly and by imports.
	MaxImports = 256
)

// Limits on the JSON form. The specification does not know it.
const (
	// MaxJSONBytes bounds a JSON text given to us: a blob of the largest
	// message, 2 MiB, fits even as an array of numbers.
	MaxJSONBytes = 16 << 20
	// MaxJSONOutput bounds a JSON text made by us. A message bounds its values
	// and an interface its names, but every record repeats the names.
	MaxJSONOutput = 64 << 20
	// FillBase and FillPerByte bound the absent fields filled in for a text of n
	// bytes, FillBase + n·FillPerByte: "{}" may stand for any number of them.
	FillBase    = 50_000
	FillPerByte = 1
)
