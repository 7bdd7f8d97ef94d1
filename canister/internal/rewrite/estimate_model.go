package rewrite

// The cost of a unit of the estimate, in nanoseconds, measured with one processor of 2024;
// TestTheEstimateFollowsTheCompiler measures it again.
const (
	operatorTime       = 1000
	operandTime        = 1000
	blockTime          = 6000
	stepTime           = 10
	crossingTime       = 500
	liveTime           = 100
	dominatorTime      = 10
	boundTime          = 45
	phiTime            = 2 // for each pass that removes phis
	joinsPerNanosecond = 3
	typeTime           = 16 // for each type and function
	localsPerOperand   = 8
	blocksPerLoop      = 2       // a metered loop is two
	nanOperands        = 2       // to make a value canonical
	splitOperands      = 30      // of a bulk operator that is split
	farthest           = 1 << 30 // more than the depth and the bounds of any block
)
