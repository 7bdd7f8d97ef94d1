package client

import "time"

const (
	// maxResponse bounds a response body: the largest reply (3 MiB to a query), its certificate and a delegation fit
	// several times.
	maxResponse = 16 << 20

	// requestTTL is how long a request may wait to enter. The specification allows five minutes; a minute less allows
	// for clocks that differ.
	requestTTL = 4 * time.Minute

	// certificateAge is how old or how far ahead the time of a certificate may be, as in agents: five minutes.
	certificateAge = 5 * time.Minute

	// firstPoll and lastPoll bound the pauses between two polls of a request, which double.
	firstPoll = 20 * time.Millisecond
	lastPoll  = time.Second

	// overloadRetries is how often a request is retried if the replica is overloaded (HTTP 429 and 503).
	overloadRetries = 5

	// lostRetries is how often a request is sent again, with WithRetries, if its connection is lost; firstLost and lastLost
	// bound the pauses before, which double: together 47 s, well within the life of a request. Ours.
	lostRetries = 8
	firstLost   = 250 * time.Millisecond
	lastLost    = 16 * time.Second

	// attemptTimeout is how long one attempt may take, with WithRetries: 2 MiB come through at 140 kbit/s. Ours.
	attemptTimeout = 2 * time.Minute

	// idleConnections is how many connections are kept for the next request. Ours.
	idleConnections = 16
)
