package fragment

const (
	// maxBytes is the size of the functions that one fragment gets: the wanted one, and functions of at most maxCallee
	// that it calls. A fragment takes the engine as long as half a kilobyte of code, and every third function that is
	// compiled with its caller is never called: with these numbers, the first message of an actor in Motoko and that of a
	// canister in Rust compile the least.
	maxBytes, maxCallee = 8 << 10, 600

	// registerIntegers and registerFloats are the parameters, or results, that the engine passes in registers on every
	// processor.
	registerIntegers = 6
	registerFloats   = 8
)
