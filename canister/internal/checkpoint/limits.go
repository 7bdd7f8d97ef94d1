package checkpoint

const (
	// pageSize is the size of a Page (spec: the operating system page, 4,096).
	pageSize = 4096
	// chunkPages is how many pages are written with one system call.
	chunkPages = 64
	// piece is how many bytes are copied without a place where the runtime can stop the world (no value in the specification).
	piece = 1 << 20
	// punchPart is how many bytes are given back to the system at a time.
	punchPart = 8 << 20
	// MinExtent is the smallest extent: one page of Wasm memory.
	MinExtent = 64 << 10
	// MaxFile is the largest file: ext4 with blocks of 4 KiB stops at 16 TiB. Extents that are never written count here but take no space.
	MaxFile = 16<<40 - 1<<30
	// growStep is by how much the length of the file grows at a time; the new bytes are a hole.
	growStep = 1 << 30
	// windowSize is how much of the file is mapped for reading; a quarter of it is tried where the address space is too small.
	windowSize = 4 << 40
	// minWindow is the smallest window worth having.
	minWindow = 16 << 30
)
