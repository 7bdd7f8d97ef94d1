package gateway

import "time"

const (
	// maxRequestBody is the largest body of a request. The specification has no limit; an update call has 2 MiB
	// including everything around it.
	maxRequestBody = 2<<20 - 64<<10
	// maxVerifiedBody is how many bytes of a stream are collected for verification. Ours; DFINITY's gateway collects
	// four parts of at most 2 MiB each.
	maxVerifiedBody = 64 << 20
	// maxParts is the most parts of a stream, or of a body in ranges (DFINITY's gateway: 1,000).
	maxParts = 1_000
	// maxHeaders and maxHeaderBytes limit the headers of a response that are passed on, and their bytes. Ours.
	maxHeaders     = 256
	maxHeaderBytes = 64 << 10
	// maxOfCanister and maxOfInstance limit the requests to a canister, and to all canisters of an instance, that a
	// gateway has in progress at once: a browser has at most 250 on a connection. Further ones are refused. Ours.
	maxOfCanister = 256
	maxOfInstance = 1_024
	// updateExpiry is how long an update may wait for its execution, in nanoseconds (agents: 4 minutes).
	updateExpiry = 240_000_000_000
	// updateTimeout is how long the gateway waits for an update. Ours; DFINITY's polls for 5 minutes.
	updateTimeout = time.Minute
	// partTimeout is how long a client may take to read one part of a body. Ours.
	partTimeout = time.Minute
	// maxVerifiers is the most root keys that are remembered. Ours.
	maxVerifiers = 256
	// maxHints is the most commands on the page about a canister. Ours.
	maxHints = 100
	// maxListed is the most canisters of an instance on the dashboard. Ours.
	maxListed = 500
	// maxDomainsFile limits a file of custom domains, in bytes. Ours.
	maxDomainsFile = 1 << 20
	// corsMaxAge is how long a browser may cache the answer to a preflight, in seconds.
	corsMaxAge = "600"
	// retryAfter is the number of seconds after which a client retries that was refused for lack of memory or
	// of a slot. Ours.
	retryAfter = "1"
)
