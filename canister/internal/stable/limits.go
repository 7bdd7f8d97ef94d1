package stable

const (
	// PageSize is the page of stable64_grow (spec: 65,536).
	PageSize = 65536
	// MaxPages is the largest stable memory (spec: 500 GiB, 8,192,000 pages).
	MaxPages = 8_192_000
	// OSPageSize is the unit of access and dirty-page charges (spec: 4,096).
	OSPageSize = 4096
	// maxBuffered is how many pages a message may hold in memory before they go to the file.
	maxBuffered = 256
	// maxFree is how many unused pages keep their space in the file; the rest is freed.
	maxFree = 1024
)
