package component

// MaxBytes is the largest component, with all modules and components in it.
const MaxBytes = 100 << 20

// DefaultMemoryLimit is the memory limit of an instance without [WithMemoryLimit], in bytes.
const DefaultMemoryLimit = 1 << 30

// Limits of a component. The specification sets none but maxValueSize; those marked with wasmparser are the limits of the
// validator that most tools share.
const (
	maxDefinitions     = 3_000_000 // of a component, with those in nested components and types
	maxDefinitionBytes = 16 << 20  // of sections without core modules and custom sections
	maxNesting         = 100       // components and component types within one another
	maxModules         = 1_000     // of one component (wasmparser 1000)
	maxComponents      = 1_000     // of one component (wasmparser 1000)
	maxInstances       = 1_000     // of one component, core instances apart (wasmparser 1000)
	maxTypes           = 1_000_000 // of one index space (wasmparser 1000000)
	maxFunctions       = 1_000_000 // of one index space (wasmparser 1000000)
	maxExterns         = 100_000   // imports, and exports, of one component or type (wasmparser 100000)
	maxArguments       = 100_000   // of one instantiation (wasmparser 100000)
	maxFields          = 10_000    // fields, cases, labels or elements of one type (wasmparser 10000)
	maxParameters      = 1_000     // of one function type (wasmparser 1000)
	maxFlags           = 32        // labels of one flags type; specification 32
	maxOptions         = 10        // of one canonical definition (wasmparser 10)
	maxNameBytes       = 100_000   // of one name (wasmparser 100000)
	maxTypeSize        = 1_000_000 // nodes of one type, with all types in it (wasmparser 1000000)
	maxTypeDepth       = 100       // value types within one another (wasmtime 100)
	maxValueSize       = 1 << 28   // bytes of one value in memory, exclusive; specification 2^28
	maxMemoryPages     = 65_536    // of a 32-bit memory; specification 65536
	maxTableElements   = 10_000_000
	maxValidationSteps = 10_000_000 // types visited by comparisons and substitutions, in the whole component
)

// Limits of the Canonical ABI (specification: MAX_FLAT_PARAMS, MAX_FLAT_RESULTS, MAX_FLAT_ASYNC_PARAMS).
const (
	maxFlatParams      = 16
	maxFlatResults     = 1
	maxFlatAsyncParams = 4

	maxContentBytes  = 1<<28 - 1 // of a string or list in memory; specification 2^28 - 1
	maxLiftedBytes   = 1 << 30   // of Go values made of the values of one call
	maxBackpressure  = 1<<16 - 1 // of an instance's counter; specification 2^16 - 1
	maxCopyLength    = 1<<28 - 1 // elements that a read or write of a stream copies; specification 2^28 - 1
	maxEmptyReads    = 100       // of a reader of the host, until its stream traps
	maxShownName     = 256       // bytes of a name of the component in an error, which ends in … then
	maxShownReason   = 2_048     // bytes of a reason
	maxCancelSteps   = 1_000     // threads that run to end a call whose context ended
	maxTasks         = 4_000_000 // calls at a time, of all instances of the outermost component's
	maxStacks        = 10_000    // threads that are blocked in core code, of the same
	maxTreeInstances = 10_000    // of components and core modules, for one instance of the outermost component
	maxHandles       = 1_000_000 // of one instance; specification 2^28 - 1
	maxTableGrowth   = 1 << 16   // elements of a core table above its declared minimum

	contextSlots = 2 // of a thread: context.get and context.set; specification 2
)
