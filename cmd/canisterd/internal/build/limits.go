package build

import "time"

const (
	// outputPatience is how long a program that has ended may leave its output open, in a program that it left behind, and
	// how long an interrupted program may take to end. Ours.
	outputPatience = 2 * time.Second
	// maxModule is how large a module is at most, in bytes. The daemon has a limit of its own.
	maxModule = 1 << 30
)
