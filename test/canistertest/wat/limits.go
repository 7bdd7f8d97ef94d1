package wat

const (
	// maxNesting bounds how deep instructions and blocks may nest; the
	// specification leaves the limit to the implementation (appendix
	// "Implementation Limitations").
	maxNesting = 20_000
	// pageSize is the size of a memory page in bytes (specification, "Memories").
	pageSize = 65_536
)
