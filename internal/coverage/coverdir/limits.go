package coverdir

import "time"

const (
	// Interval is how often a server writes what ran, if something new ran: a test runner may kill it. Ours.
	Interval = time.Second
	// awaitInterval is how often a reader looks whether servers have ended. Ours.
	awaitInterval = 20 * time.Millisecond
	// MaxProcesses is how many files of processes a directory may have. Ours.
	MaxProcesses = 10_000
	// MaxProcessBytes is the largest file of a process: 50,000 functions with 300,000 blocks take 10 MiB. Ours.
	MaxProcessBytes = 256 << 20
	// MaxModuleBytes is the largest module (the specification's limit).
	MaxModuleBytes = 100 << 20
)
