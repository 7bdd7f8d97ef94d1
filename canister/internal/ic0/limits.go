package ic0

import "github.com/canisterd/canisterd/canister/internal/stable"

// Limits of the System API. All are the specification's, or the replica's if it has none.
const (
	maxReply          = 2 << 20         // bytes of a reply or reject
	maxQueryReply     = 3 << 20         // bytes of the answer of a query
	maxMethodName     = 20_000          // bytes of the name of a method to call
	maxRequest        = 10 << 20        // bytes of name and argument of a call; between subnets 2 MiB, which is the replica's to check
	maxTimeout        = 300             // seconds of a best-effort call
	maxCertified      = 32              // bytes of certified data
	maxVariableName   = 128             // bytes of the name of an environment variable
	maxTrapText       = 32 << 10        // bytes of the message of ic0.trap that are kept
	narrowStablePages = 1 << 16         // pages of 64 KiB up to which the 32-bit functions of stable memory work
	maxStablePages    = stable.MaxPages // pages of 64 KiB of stable memory
	maxNarrowAddress  = 1<<32 - 1       // the largest address of a 32-bit heap
	maxWideAddress    = 6 << 30         // bytes of the largest 64-bit heap

	maxRecycledCalls = 8  // calls of a message whose memory is kept for the next message; ours
	maxRecycledName  = 64 // bytes of the name of a called method that is kept for the next call; ours

	// RecordOverhead is what a log record takes in addition to its content, in bytes.
	RecordOverhead = 40
)

// Charges, in instructions (metering, System API).
const (
	plain             = 500    // what most calls cost
	decoding          = 10_000 // a call whose argument is Candid
	stableAccess      = 20     // a read or write of stable memory, and one for each byte
	stablePageWritten = 1000   // each 4 KiB page of stable memory when a message first writes it
)
