package gateway

import "time"

const (
	// maxRequestBody is the size of the body of a request. The specification has no limit; an update call has 2 MiB
	// with everything around it.
	maxRequestBody = 2<<20 - 64<<10
	// maxVerifiedBody is how many bytes of a stream are collected to be verified. Ours; the gateway of DFINITY collects
	// four parts, of 2 MiB each at most.
	maxVerifiedBody = 64 << 20
	// maxParts is how many parts a stream, or a body in ranges, has (gateway of DFINITY: 1,000).
	maxParts = 1_000
	// maxHeaders and maxHeaderBytes are how many headers of a response are passed on, and their bytes. Ours.
	maxHeaders     = 256
	maxHeaderBytes = 64 << 10
	// maxConcurrent is how many requests to canisters a gateway works on at once; others wait. Ours.
	maxConcurrent = 256
	// updateExpiry is how long an update may wait for its execution, in nanoseconds (agents: 4 minutes).
	updateExpiry = 240_000_000_000
	// updateTimeout is how long an update is waited for. Ours; the gateway of DFINITY polls for 5 minutes.
	updateTimeout = time.Minute
	// partTimeout is how long a client may take to read one part of a body. Ours.
	partTimeout = time.Minute
	// maxVerifiers is how many root keys are remembered. Ours.
	maxVerifiers = 256
	// maxListed is how many canisters of an instance the dashboard shows. Ours.
	maxListed = 500
	// maxDomainsFile is the size of a file of custom domains, in bytes. Ours.
	maxDomainsFile = 1 << 20
	// corsMaxAge is how long a browser may remember what it may send, in seconds.
	corsMaxAge = "600"
	// retryAfter is after how many seconds a client that was refused for lack of memory tries again. Ours.
	retryAfter = "1"
)
