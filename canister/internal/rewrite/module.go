package rewrite

import "sort"

// Names of what the pass adds to a module. Exports of the original module that begin with "canisterd " are dropped.
const (
	// ModuleName is the import module of the host functions that the pass needs.
	ModuleName = "canisterd"
	// OutOfInstructions () is called at a check point if Instructions of the counter are below zero. The host sets them
	// to zero or more, or ends the message by a panic. It is also called if StackFull is true of the counter: then the
	// host must end the message.
	OutOfInstructions = "out_of_instructions"
	// BulkCheck (instructions i32) is called between two pieces of a bulk operator, with the charge of the finished
	// piece. It may block.
	BulkCheck = "bulk_check"
	// HugeCharge (size i64) is called for a charge by a size above MaxInstructions, which the counter cannot hold. The
	// host ends the message by a panic, since no limit is that high.
	HugeCharge = "huge_charge"
	// ProbeEnter (function i32, counter i64) is called when a function begins, with its index in the original module, and
	// ProbeLeave (counter i64) when it returns: both have the value of the counter. ProbeWithdraw () is called in place of
	// ProbeLeave if a function will begin again. A function that traps does not leave. They are imported by modules with
	// probes only.
	ProbeEnter    = "probe_enter"
	ProbeLeave    = "probe_leave"
	ProbeWithdraw = "probe_withdraw"
	// GrowCheck (old i32, pages i32) -> i32 is called after every memory.grow with its result and the requested pages,
	// and returns what the guest sees. For a 64-bit memory, pages saturate at 2^32-1.
	GrowCheck = "grow_check"

	// SystemModule and WideSystemModule are the import modules of the System API of modules with 32-bit and 64-bit
	// memory.
	SystemModule     = "ic0"
	WideSystemModule = "ic0_64"

	// CounterGlobal is the exported mutable i64 global with the instructions left in the current slice and the part of
	// the call stack in use, as Instructions and StackUsed decode it. The host sets it to NewCounter before every call;
	// a call that returns leaves the stack empty.
	CounterGlobal = "canisterd counter"
	// CallClosure is the exported trampoline (fn i32, env i32 or i64): call_indirect on the first table with type (I)
	// -> (). It is not metered.
	CallClosure = "canisterd call closure"
	// ExportedMemory and ExportedTable are the memory and the first table.
	ExportedMemory = "canisterd memory"
	ExportedTable  = "canisterd table"
	// StartFunction is the export of the function named by the start section.
	StartFunction = "canisterd start"
	// CountRan is the function () -> i64 of modules for coverage that counts the bits in their globals RanGlobal. Bits are
	// only ever set, so the globals need to be read only if the count has changed. It is not metered.
	CountRan = "canisterd count ran"
	// ranPrefix and a number form the export name of a global with bits of blocks that ran.
	ranPrefix = "canisterd ran "
	// globalPrefix and the original index form the export name of a mutable global.
	globalPrefix = "canisterd global "
	ownPrefix    = "canisterd "
)

// SystemAPI returns the signature of a System API function by name, for modules with 64-bit memory if wide, as value
// types of the binary format (0x7f i32, 0x7e i64).
type SystemAPI func(name string, wide bool) (params, results []byte, ok bool)

// Options select the rules.
type Options struct {
	Schedule Schedule
	// SystemAPI is the set of functions that may be imported. It is not consulted in conformance mode.
	SystemAPI SystemAPI
	// WASI returns the signature of a function of WASI preview 1; nil: modules that need such functions are invalid.
	WASI func(name string) (params, results []byte, ok bool)
	// Conformance is the mode of the WebAssembly test suite: only the rules of the language, with any imports and
	// exports, active segments and the start section left in place and table operators allowed. Metering and lowering
	// are as always.
	Conformance bool
	// Probes makes a module that calls the host whenever a function begins and returns: the form of the module for a
	// profile. All counts and results are those of the other form.
	Probes bool
	// Coverage makes a module that tells the host which of its blocks run. All counts and results are those of the other
	// forms.
	Coverage bool
	// Positions makes a module whose backtraces have positions, which take space beside the compiled code: see
	// [Module.Positions]. It is the default of a module with debug information.
	Positions bool

	// offsets gets where the code comes from (see [Module.Locate]); nil: nobody asks.
	offsets *Offsets

	// unmetered omits every charge and check: the cost of metering is measured against it.
	unmetered bool
	// ownMarks gives each block a bit of its own: shared bits are compared with it.
	ownMarks bool
}

// Module is a rewritten module. It is immutable and shares no memory with the uploaded bytes.
type Module struct {
	Hash         [32]byte // SHA-256 of the bytes as uploaded
	UploadedSize int      // bytes as uploaded
	Size         int      // bytes after decompression
	Binary       []byte   // what the engine compiles
	BinaryHash   [32]byte // SHA-256 of Binary

	Memory64             bool   // the memory was 64-bit: System API pointers are i64
	HasMemory            bool   // the module has a memory
	HasTable             bool   // ExportedTable and CallClosure exist
	TableSize            uint64 // entries of that table, which does not grow
	MemoryMin, MemoryMax uint32 // pages of 64 KiB, the maximum after clamping

	Imports []string // System API functions imported, sorted, unique
	Globals []Global // mutable globals in index order
	Exposed []ExposedGlobal
	Data    []DataSegment // active segments, in order; passive ones stay in Binary
	Start   string        // StartFunction, or "" if the module has none; with WASI also [InitializeFunction]
	Entries Entries
	Methods []Method        // sorted by kind, then name
	Custom  []CustomSection // icp: sections, in order

	// Refusal is why the module cannot be installed on mainnet: it needs WASI, or is a component. It is empty for all
	// others, which are the same with and without Options.WASI. Fault is why it cannot be installed even with this
	// feature; then there is no Binary. Both are Messages of an Invalid, except for the Fault of a component that cannot
	// be linked.
	Refusal, Fault string
	Component      bool // it was linked of a component

	MutatesTable    bool   // contains table.set, grow, fill, copy or init; possible in conformance mode only
	References      bool   // contains ref.func, table.get or a global with a reference: calls are not all its code can do with functions
	Functions       uint32 // functions of the original module, including imported ones
	Operators       uint64 // of the module as a replica instruments it
	InstructionCost uint64 // the charge for creating the execution state
	CompileTime     uint64 // estimated, in nanoseconds of one processor
	SlowestFunction uint64 // its part for the function that takes longest

	Probes, Coverage bool // as in Options
	// Positions reports that the engine remembers where compiled code comes from: Binary has a line table that makes it,
	// the same for every module. The engine's text of a frame has its offset in the code section then.
	Positions bool

	Names  []FunctionName // of the name section, by index; nil without Probes and Coverage
	Blocks []Block        // nil without Coverage

	RanGlobals int // how many globals RanGlobal there are; 0 without Coverage
}

// Block is a run of operators that is entered at its first one only: what one charge pays for. An operator in it may
// still trap, or wait in a call.
type Block struct {
	Function uint32 // index in the original module
	From, To uint32 // offsets of its operators in the original module, decompressed
	Bit      uint32 // that says whether it ran, among the bits of all RanGlobals; others may share it
}

// MayImport reports whether the rewritten module may import functions of a host module. It returns true for a host
// module that the rewriter does not know.
func (m *Module) MayImport(host string) bool {
	switch host {
	case SystemModule:
		return !m.Memory64
	case WideSystemModule:
		return m.Memory64
	case WASIModule:
		return m.Refusal != "" && !m.Component
	}
	return true
}

// Global is a mutable global; Type is its value type in the binary format.
type Global struct {
	Index  uint32
	Export string
	Type   byte
}

// DataSegment is an active data segment: Bytes go to the memory at Offset when the module is installed.
type DataSegment struct {
	Offset uint64
	Bytes  []byte
}

// Entries says which of the system entry points are exported.
type Entries struct {
	Init, PreUpgrade, PostUpgrade, InspectMessage, Heartbeat, GlobalTimer, OnLowWasmMemory bool
}

// Kind is the call type of a method.
type Kind uint8

// The kinds, in the order of Module.Methods.
const (
	Update Kind = iota
	Query
	CompositeQuery
)

// Method is an exported method; Export is its full export name.
type Method struct {
	Kind   Kind
	Name   string
	Export string
}

// CustomSection is a section named "icp:public NAME" or "icp:private NAME".
type CustomSection struct {
	Name    string
	Public  bool
	Content []byte
}

// FunctionName is the name of a function of the original module.
type FunctionName struct {
	Index uint32
	Name  string
}

// FunctionName returns the name of a function of the original module, "" for none and without Probes or Coverage.
func (m *Module) FunctionName(index uint32) string {
	i := sort.Search(len(m.Names), func(i int) bool { return m.Names[i].Index >= index })
	if i < len(m.Names) && m.Names[i].Index == index {
		return m.Names[i].Name
	}
	return ""
}
