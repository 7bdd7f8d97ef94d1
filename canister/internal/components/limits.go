package components

// Limits of a component that is linked. There are none for canisters on the Internet Computer: a module has its own.
const (
	maxCoreInstances  = 100       // of core modules: each is copied
	maxLinkedBytes    = 100 << 20 // of all their code and data; a module of a canister: 104857600
	maxInterfaceBytes = 60 << 10  // of the interface in Candid
	maxShapeBytes     = 1 << 10   // of the text of a type, which is compared with one of ic:canister
	maxValueBytes     = 1<<28 - 1 // of a value in memory, without what it points to; specification 2^28 - 1
	maxTableBytes     = 4 << 20   // of the types of exported functions
)

// maxTableElements is for all tables together: they and the callbacks of the runtime are in the one table of a canister, which has
// at most 1,000,000 elements.
const maxTableElements = 1_000_000 - callbackCount

// Limits of a component that runs.
const (
	maxHandles      = 1_000_000 // of waitables, their sets, and resources of WASI; specification 2^28 - 1
	maxCopyElements = 1<<28 - 1 // that a read or write of a stream copies; specification 2^28 - 1
)

// The runtime's memory: the slots, its stack, its data, the tables.
const (
	slotBytes     = 8
	slotsBytes    = 256 // slots for 16 values, and the identity
	stackBytes    = 64 << 10
	tableAlign    = 8
	runtimeAlign  = 16
	imageBytes    = 256 // of values that are passed without memory (image in runtime/tasks.c)
	callbackCount = 3   // of functions of the runtime that the network calls
)
