package client

import "time"

const (
	// maxResponse bounds a response body: the largest reply (3 MiB to a query),
	// its certificate and a delegation fit several times.
	maxResponse = 16 << 20

	// requestTTL is how long a request may wait to be let in. The specification
	// allows five minutes; a minute less keeps clear of clocks that differ.
	requestTTL = 4 * time.Minute

	// certificateAge is how old or how far ahead the time of a certificate may
	// be, as agents have it: five minutes.
	certificateAge = 5 * time.Minute

	// firstPoll and lastPoll are the pauses between two looks at a request that
	// is not decided; they double from the one to the other.
	firstPoll = 20 * time.Millisecond
	lastPoll  = time.Second

	// overloadRetries is how often a request is sent again that was turned away
	// for want of room (HTTP 429 and 503).
	overloadRetries = 5
)
