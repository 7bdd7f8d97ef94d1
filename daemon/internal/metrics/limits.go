package metrics

import "time"

const (
	// maxLabelled is how many instances have metrics under their own names at once. Ours.
	maxLabelled = 100
	// maxReaders is how many instances a scrape reads at once. Ours.
	maxReaders = 8
	// maxScrapes is how many scrapes are answered at once; others are refused. Ours.
	maxScrapes = 4
	// readPatience is how long a scrape waits for all instances together. Prometheus gives up after 10 s. Ours.
	readPatience = 2 * time.Second
	// endPatience is how long the end of an instance waits for its last numbers. Ours.
	endPatience = 100 * time.Millisecond
)
