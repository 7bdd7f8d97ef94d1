package candid

// Limits on what a message or a text may make us do. The specification sets
// none of them ("Candid is agnostic"); the reference decoder has quotas that
// its caller chooses. Ours hold for every caller.
const (
	// MaxDepth bounds how deeply values and types nest. Reference: until about
	// 32 KiB of native stack remain. A linked list of n elements nests 2n deep.
	MaxDepth = 10_000

	// MaxTableTypes bounds the entries of a message's type table.
	// Reference: none but the decoding quota.
	MaxTableTypes = 10_000

	// MaxTableParts bounds the fields, methods, arguments and results in a
	// message's type table together.
	MaxTableParts = 100_000

	// QuotaBase and QuotaPerByte say how much work a message of n bytes may cause: QuotaBase + n·QuotaPerByte units. A
	// value, read or skipped, is a unit, an element of a vec two, a field filled in two, a value of no bytes (null,
	// reserved) five, a pair of types compared four and one for each part. A value without bytes can only be paid from
	// the surplus: this stops space bombs. Reference: quotas chosen by the caller.
	QuotaBase    = 100_000
	QuotaPerByte = 10

	// MaxSubtypePairs bounds the pairs of types one comparison looks at.
	// Reference: none.
	MaxSubtypePairs = 200_000

	// MaxTextBytes bounds a text given to the value and .did parsers.
	MaxTextBytes = 16 << 20

	// MaxNumberDigits bounds the digits of one number in a text: converting
	// decimal digits costs their square.
	MaxNumberDigits = 100_000

	// maxPrealloc bounds the elements, and maxPreallocBytes the bytes of Go
	// elements, that room is made for on the word of a length alone.
	maxPrealloc      = 1024
	maxPreallocBytes = 64 << 10
)
