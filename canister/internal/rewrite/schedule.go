package rewrite

// Schedule names a dated set of the rules that changed between replica versions. The zero value is the default.
type Schedule string

// The known schedules.
const (
	Schedule202603 Schedule = "2026-03" // before installs paid a base charge
	Schedule202606 Schedule = "2026-06" // the default: base charge, no charge per accessed page
	Schedule202607 Schedule = "2026-07" // accessed pages charged by the memory tracker
)

// rules is what a schedule determines in this package.
type rules struct {
	executionStateBase uint64 // instructions per install, upgrade and snapshot load
	codeSectionBytes   uint32 // 10 MiB in the documentation; a replica of 2026 reports 12582912 as its limit
	stableWriteOps     uint64 // by how many operators the bodies that replace stable writes are shorter
}

var schedules = map[Schedule]rules{
	Schedule202603: {0, 10 << 20, 0},
	Schedule202606: {20_000_000, 12 << 20, 0},
	Schedule202607: {20_000_000, 12 << 20, 6},
}

// InstructionsPerOperator is the compile charge of each operator of the instrumented module.
const InstructionsPerOperator = 6000

// Operators that the replica's instrumentation adds; they are part of the compile charge and never executed here.
const (
	entryOperators   = 10 // a check point
	chargeOperators  = 4  // a charge without a check
	dynamicNarrowOps = 3  // a charge by an i32 operand
	dynamicWideOps   = 1  // a charge by an i64 operand
	growOperators    = 3
	helperOperators  = 20 + 46
	perGlobal        = 2
	injectedGlobals  = 3
)

// replacedImports returns the size of the bodies that replace the stable memory functions.
func (r rules) replacedImports(name string) uint64 {
	switch name {
	case "stable_size":
		return 10
	case "stable64_size":
		return 2
	case "stable_grow":
		return 24
	case "stable64_grow":
		return 21
	case "stable_read":
		return 106
	case "stable64_read":
		return 119
	case "stable_write":
		return 91 - r.stableWriteOps
	case "stable64_write":
		return 107 - r.stableWriteOps
	}
	return 0
}

// widePenalty is the extra cost of a load or store of a 64-bit memory.
const widePenalty = 1

// Costs of the operators that are not in a table.
const (
	costDefault            = 1
	costCall               = 5
	costCallIndirect       = 10
	costReturnCall         = 3
	costReturnCallIndirect = 60
	costBranch             = 2 // if, br, br_if, br_table
	costGlobal             = 2
	costTableAccess        = 5
	costTableSize          = 100
	costGrow               = 300
	costMemorySize         = 20
	costBulk               = 100
	costDrop               = 300 // data.drop, elem.drop
	costRefIsNull          = 5
	costRefFunc            = 130
	costEntry              = 1 // flat charge of every function call
)

// Weights of the operators that are not in a table.
const (
	weightControl   = 50
	weightTableGet  = 14
	weightRefFunc   = 8
	weightRefIsNull = 6
	weightCopy      = 4
	weightFill      = 3
	weightLight     = 2 // global.get, select, memory.size
)
