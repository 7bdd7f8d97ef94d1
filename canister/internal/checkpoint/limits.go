package checkpoint

const (
	// pageSize is the size of a Page (spec: the operating system page, 4,096).
	pageSize = 4096
	// MinExtent is the smallest extent: one page of Wasm memory.
	MinExtent = 64 << 10
	// MaxFile is the largest file: ext4 with blocks of 4 KiB stops at 16 TiB. Extents that are never written count
	// here, but take no space.
	MaxFile = 16<<40 - 1<<30
)
