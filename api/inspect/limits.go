package inspect

import "time"

const (
	// maxMessage limits the JSON of one message of an RPC, in bytes: a chunk of a module as base64. Ours.
	maxMessage = 8 << 20
	// maxAnswer limits an answer of the control API, in bytes: its own limit.
	maxAnswer = 64 << 20
	// maxAhead is the number of units of a stream that are read before the browser has taken them. A message takes one,
	// and one more for every aheadUnit bytes: 4 MiB in all. Ours.
	maxAhead  = 256
	aheadUnit = 16 << 10
	// maxExplorations is the number of explorations of browsers at a time: each takes one of the six connections that a
	// browser has for a host. Ours.
	maxExplorations = 2
	// gatherTime is how long a message of a stream waits for others that are sent with it: nobody sees the difference, and
	// a busy network has thousands of events a second. Ours.
	gatherTime = 20 * time.Millisecond
	// pingInterval is the time between comments in a stream, which find out whether the browser is still there. Ours.
	pingInterval = 15 * time.Second
	// writePatience is how long a browser may take to accept a part of a stream. Ours.
	writePatience = 30 * time.Second
	// cookieAge is how long a browser keeps the session, in seconds: 400 days, the most that browsers accept.
	cookieAge = 400 * 24 * 60 * 60
	// fileAge is how long a browser keeps a file of the page, in seconds: a year, as RFC 9111 recommends for what never
	// changes.
	fileAge = 365 * 24 * 60 * 60
)
