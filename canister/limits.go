package canister

import "github.com/canisterd/canisterd/canister/internal/ic0"

// Limits are the limits of execution on a subnet, the same for all its canisters.
type Limits = ic0.Limits

// ApplicationLimits returns the limits of an application subnet.
func ApplicationLimits() Limits {
	return Limits{
		Message: 40_000_000_000, Query: 5_000_000_000, Inspect: 200_000_000, Install: 300_000_000_000,
		Slice: 2_000_000_000, PauseAfter: DefaultPauseAfter,
		StablePages: 524_288, StablePagesInstall: 2_097_152, StablePagesQuery: 262_144,
		SubnetMemory: 2 << 40,
		HeapDelta:    75 << 20, InstallRate: 2_000_000_000,
	}
}

// SystemLimits returns the limits of a system subnet.
func SystemLimits() Limits {
	l := ApplicationLimits()
	l.Message, l.Query, l.Install = 50_000_000_000, 50_000_000_000, 1_000_000_000_000
	l.HeapDelta, l.InstallRate = 0, 0 // the replica's are too high to reach
	return l
}

// InstallSteps is the maximum number of functions that an installation runs: canister_pre_upgrade, start, and
// canister_init or canister_post_upgrade.
const InstallSteps = 3

// Limits of one canister. A comment gives the specification's value if it differs.
const (
	// DefaultPauseAfter is Limits.PauseAfter (the replica's slice: 2,000,000,000). Ours is smaller, so that a long
	// message delays the others by tens of milliseconds, not seconds.
	DefaultPauseAfter = 50_000_000
	// engineSlice is how many instructions run before the engine calls back (ours; about a millisecond). A short message
	// runs no more.
	engineSlice = 2_000_000
	// A message that has changed scatteredPages pages of 4 KiB pauses at least every ScatteredPauseAfter instructions.
	// Ours: a page fault takes as long as thousands of instructions.
	scatteredPages      = 1_024
	ScatteredPauseAfter = 100_000
	// CleanupReservePercent is the percentage of a callback's limit that is reserved for its cleanup closure.
	CleanupReservePercent = 5
	// maxBacktraceFrames is how many of the canister's functions a backtrace shows (replica: 20,
	// wasm_backtrace_max_frames).
	maxBacktraceFrames = 20

	MaxControllers           = 10
	MaxViewers               = 10
	MaxComputeAllocation     = 100
	MaxWasmMemorySetting     = 1 << 48 // wasm_memory_limit and wasm_memory_threshold
	DefaultFreezingThreshold = 2_592_000
	DefaultReservedLimit     = 5_000_000_000_000
	DefaultWasmMemoryLimit   = 3 << 30 // the specification's default is 0, the replica's 3 GiB

	MaxVariables         = 20
	MaxVariableNameBytes = 128
	MaxVariableBytes     = 128

	// DefaultLogMemoryLimit, MinLogMemoryLimit and MaxLogMemoryLimit limit a canister's log, in bytes.
	DefaultLogMemoryLimit = 4 << 10
	MinLogMemoryLimit     = 4 << 10
	MaxLogMemoryLimit     = 2 << 20
	// LogRecordOverhead is what a record counts for in addition to its content, while it is made and in an answer of
	// fetch_canister_logs; logRecordHeader is what it takes of the log.
	LogRecordOverhead = ic0.RecordOverhead
	logRecordHeader   = 20
	// logPages of logPageBytes are what a log takes in addition to its room.
	logPages, logPageBytes = 2, 4 << 10

	// pageCharge and widePageCharge are the instructions charged for each 4 KiB page of the heap that a message
	// changed.
	pageCharge     = 1000
	widePageCharge = 4000

	// knownModuleDiscount divides the cost of compiling a module that the subnet has compiled before (the replica's).
	knownModuleDiscount = 100

	// MaxCoveredBytes is how many bytes of modules a coverage keeps for their debug information, MaxCoveredCalls to how many
	// methods it counts the calls of a module. Ours.
	MaxCoveredBytes = 256 << 20
	MaxCoveredCalls = 1000

	// maxLineModules is for how many modules source lines are kept, and maxLineBytes how many bytes they take together:
	// those of one module have up to 130 MiB, and are kept alone then. maxOffsetBytes is how many bytes the offsets of
	// rewritten code take, which map it to source lines: those of one module have up to 30 MiB. Ours.
	maxLineModules = 64
	maxLineBytes   = 128 << 20
	maxOffsetBytes = 64 << 20

	// idleViews is how many idle views of a canister's state are kept for the next query.
	idleViews = 4

	// MaxHistory is how many changes a canister remembers (at least 20; the replica's: 20).
	MaxHistory = 20

	// ChunkBytes is the largest chunk, and the size that every chunk is billed for; MaxChunks is the capacity of a
	// chunk store.
	ChunkBytes = 1 << 20
	MaxChunks  = 100

	// NarrowHeapBytes and WideHeapBytes are the largest heaps (the replica's wide heap: 6 GiB).
	NarrowHeapBytes = 4 << 30
	WideHeapBytes   = 65535 << 16
	// WasmPageBytes is the page of a Wasm memory.
	WasmPageBytes = 1 << 16
	// MaxModuleBytes, MaxGlobals and MaxCertifiedBytes are the largest module, the most globals it has and the longest
	// certified data.
	MaxModuleBytes    = 100 << 20
	MaxGlobals        = 1_000
	MaxCertifiedBytes = 32
	// MaxStableBytes is the largest stable memory: 500 GiB.
	MaxStableBytes = 500 << 30
)
