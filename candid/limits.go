package candid

// Limits on the cost of a message or a text. The specification sets none of them ("Candid is agnostic"); the reference
// decoder has quotas that its caller chooses. Ours apply to every caller.
const (
	// MaxDepth limits how deeply values and types nest. Reference: until about 32 KiB of native stack remain. A linked
	// list of n elements nests 2n deep.
	MaxDepth = 10_000

	// MaxTableTypes limits the entries of a message's type table. Reference: only the decoding quota.
	MaxTableTypes = 10_000

	// MaxTableParts limits the total number of fields, methods, arguments and results in a message's type table.
	MaxTableParts = 100_000

	// QuotaBase and QuotaPerByte say how much work a message of n bytes may cause: QuotaBase + n·QuotaPerByte units. A
	// value, read or skipped, costs one unit, an element of a vec two, a field filled in two, a value of no bytes
	// (null, reserved) five, a comparison of two types four and one for each part. Only the surplus can pay for a value
	// without bytes: this stops space bombs. Reference: quotas chosen by the caller.
	QuotaBase    = 100_000
	QuotaPerByte = 10

	// MaxSubtypePairs limits the pairs of types in one comparison. Reference: none.
	MaxSubtypePairs = 200_000

	// MaxTextBytes limits a text given to the value and .did parsers.
	MaxTextBytes = 16 << 20

	// MaxNumberDigits limits the digits of one number in a text: converting decimal digits takes quadratic time.
	MaxNumberDigits = 100_000

	// maxPrealloc limits the elements, and maxPreallocBytes the bytes of Go elements, that are allocated based on a
	// length alone.
	maxPrealloc      = 1024
	maxPreallocBytes = 64 << 10
)
