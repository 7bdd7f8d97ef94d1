package rewrite

// StackSize is the size of the call stack in bytes of the replica's engine (replica: MAX_WASM_STACK_SIZE, 5242880).
const StackSize = 5 << 20

// StackRoom is the part of the stack that is available to the frames of a canister's functions.
const StackRoom = StackSize - entryStack

// Limits of a module. A comment gives the specification's value if it differs.
const (
	maxModuleBytes      = 100 << 20  // uncompressed module; replica 104857600
	maxFunctions        = 50_000     // local functions
	maxGlobals          = 1_000      // local globals
	maxFunctionOps      = 1_000_000  // operators of one body, final end included
	maxComplexity       = 1_000_000  // weighted operators of one body
	maxCustomSections   = 16         // icp: sections
	maxCustomBytes      = 1 << 20    // sum of names and contents of icp: sections
	maxMethods          = 1_000      // exported update, query and composite query methods
	maxMethodNameBytes  = 20_000     // sum of their names
	maxFunctionNameSize = 1 << 20    // name of a function in the name section
	maxTableElements    = 1_000_000  // declared minimum of the one table
	maxEngineElements   = 10_000_000 // declared minimum of a table in the engine's validation
	maxTables           = 1          // the engine allows 100; a replica's store holds one
	maxEngineTables     = 100

	maxTypes         = 1_000_000 // engine's validation limits, as wasmparser has them
	maxImports       = 1_000_000
	maxExports       = 1_000_000
	maxElemSegments  = 100_000
	maxDataSegments  = 100_000
	maxEngineItems   = 1_000_000 // functions, globals
	maxSignature     = 1_000     // parameters, and results, of one function type
	maxLocals        = 50_000    // of one function, parameters included
	maxStringBytes   = 100_000
	maxFunctionBytes = 7_654_321  // encoded body
	maxBranchTargets = 131_072    // of one br_table
	maxModuleLocals  = 10_000_000 // declared by all functions together; no replica limit, real modules have some hundred thousand
	maxNesting       = 100_000    // control frames; the specification sets none, the replica's is bounded by the body size

	// PieceBytes is how much of a memory or table a bulk operator moves before the host is called (a replica interrupts
	// none): about a millisecond, including page faults.
	PieceBytes = 1 << 20
	// maxUncheckedStack is how many bytes of the call stack a function and its callees may take without a check.
	maxUncheckedStack = 1 << 10
	// maxWalks is how many function bodies are walked at a time. All but the last wait for a callee.
	maxWalks = 64

	narrowMaxPages = 65536 // 4 GiB
	wideMaxPages   = 65535 // the replica allows 98304 (6 GiB); the last page below 4 GiB stays free for saturated addresses
	wideSpecPages  = 98304 // declared maximum a replica accepts
)

// Limits of the estimated time to compile, in nanoseconds of one processor: the compiler's time can grow with the
// fourth power of a module's size, the replica's hardly does. The worst function of real modules of up to 14 MB is
// estimated at 0.25 s, whole modules at 2.6 to 3.1 times their operators.
const (
	maxCompileTime       = 2_000_000_000 // one function
	maxModuleCompileTime = 5_000_000_000 // all functions together, plus a multiple of their operators
	compileTimeFactor    = 8
	maxNaNBranches       = 500 // of one function; further values are made canonical without a branch

	// maxConstructs is how many constructs of a function are counted. A function with more exceeds maxComplexity, or
	// exceeds maxCompileTime by its split bulk operators.
	maxConstructs = maxComplexity/weightControl + maxNaNBranches + maxCompileTime/(splitOperands*operandTime) + 1
)
