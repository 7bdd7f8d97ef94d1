package outcall

const (
	// MaxInFlight is how many outcalls of a subnet wait for an answer (the
	// replica's: 3,000).
	MaxInFlight = 3_000
	// Timeout is how long an outcall waits, in nanoseconds (the replica's: one
	// minute).
	Timeout = 60_000_000_000

	// MaxURLBytes is the length of a URL (specification: 8,192).
	MaxURLBytes = 8_192
	// MaxHeaders is how many headers a request or response has (specification: 64).
	MaxHeaders = 64
	// MaxHeaderPartBytes is the length of a header's name, and of its value
	// (specification: 8 KiB).
	MaxHeaderPartBytes = 8 << 10
	// MaxHeadersBytes is the length of all names and values (specification: 48 KiB).
	MaxHeadersBytes = 48 << 10
	// MaxRequestBytes is the length of a request's headers and body, and of a
	// response's (specification: 2,000,000).
	MaxRequestBytes = 2_000_000
	// ResponseReserve is the size of a response in Candid in addition to max_response_bytes for which pay-as-you-go
	// withholds cycles (the replica's: 1,024).
	ResponseReserve = 1_024
	// MaxRoundTrip is the maximum wait of a node, in milliseconds, for which pay-as-you-go withholds cycles (the
	// replica's: one minute).
	MaxRoundTrip = 60_000
	// MaxTransform is how many instructions a transform may run (the replica's: as for a query, 5,000,000,000).
	MaxTransform = 5_000_000_000
	// MaxResultBytes is the length of all contents that a flexible outcall delivers together (the replica's: 2 MiB).
	MaxResultBytes = 2 << 20

	// MaxResponseBytes is the greatest max_response_bytes, and the default (specification: 2,000,000).
	MaxResponseBytes = 2_000_000
)
