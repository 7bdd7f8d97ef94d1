package wasi

// Limits of what a program asks for at a time. The specification names those of blocking writes; the others are ours.
const (
	maxRead          = 64 << 10 // bytes that a read of an input stream gives; the specification allows fewer than asked for
	maxWrite         = 1 << 20  // bytes that an output stream permits (check-write)
	maxBlockingWrite = 4096     // bytes of blocking-write-and-flush and blocking-write-zeroes-and-flush; specification 4096
	maxRandomBytes   = 64 << 20 // bytes that one call of a function of wasi:random gives
	maxResources     = 1 << 20  // streams, pollables and errors that a program has at a time
)
