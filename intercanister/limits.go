package intercanister

// Limits of the ledger of calls.
const (
	// QueueCapacity is the largest number of calls from one canister to another
	// that are not over: waiting in the receiver's queue, being answered, or
	// answered with the callback still to run. Each holds a slot for its request
	// and one for its response (the specification's 500 per pair and direction).
	QueueCapacity = 500
	// MaxFutureBytes is what one registered future may take in memory beyond
	// payloads, index included (the measure of the design).
	MaxFutureBytes = 204
	// MaxRejectTextBytes is where the text of a reject is cut (the replica's 8 KiB).
	MaxRejectTextBytes = 8 << 10
)
