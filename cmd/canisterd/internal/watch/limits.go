package watch

import "time"

const (
	// maxFiles is how many files one set may select. Ours: each is read at each scan.
	maxFiles = 20_000
	// quiet is how long no event may come before a change is reported: a save is often several events. Ours.
	quiet = 10 * time.Millisecond
	// patience is how long a change waits for quiet. Ours: builds in a directory that always changes.
	patience = 50 * time.Millisecond
)
