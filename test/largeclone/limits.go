package main

import "time"

const (
	// stableBytes is the stable memory that is cloned by default, fillBytes what one call writes.
	stableBytes = 2 << 30
	fillBytes   = 32 << 20
	// maxRatio is how many times the duration of an export and an import a clone may take, maxGrowth how much more memory than
	// before each process may have meanwhile.
	maxRatio  = 2
	maxGrowth = 300 << 20
	// comparedBlocks is in how many places the clone is compared with its source.
	comparedBlocks = 64
	// sampleEvery is how often the memory of a process is read.
	sampleEvery = 20 * time.Millisecond
)
