package canistertest

// operation is one operation of the scriptable canister: what it does stands in operations.wat.
type operation struct {
	code byte
	name string // in operations.wat and in texts
	// takes and gives are what the operation takes from the stack, its top to the right, and
	// what it pushes: n a number, b a blob, p a program, v any of them.
	takes, gives string
}

// The operations.
const (
	opInt       = 0x01
	opBlob      = 0x02
	opDrop      = 0x03
	opDup       = 0x04
	opSwap      = 0x05
	opAdd       = 0x08
	opSub       = 0x09
	opMul       = 0x0a
	opDiv       = 0x0b
	opLess      = 0x0c
	opEqual     = 0x0d
	opToBlob    = 0x0e
	opToInt     = 0x0f
	opConcat    = 0x10
	opLength    = 0x11
	opSlice     = 0x12
	opFill      = 0x13
	opRepeat    = 0x18
	opIf        = 0x19
	opTrap      = 0x1a
	opFault     = 0x1b
	opBusy      = 0x1c
	opStray     = 0x1d
	opRecurse   = 0x1e
	opStop      = 0x1f
	opAppend    = 0x20
	opReply     = 0x21
	opReject    = 0x22
	opArg       = 0x23
	opCaller    = 0x24
	opSelf      = 0x25
	opRejectNo  = 0x26
	opRejectMsg = 0x27
	opDeadline  = 0x28
	opMethod    = 0x29
	opAdmit     = 0x2a
	opSubnet    = 0x2b
	opInfo      = 0x2c
	opSigner    = 0x2d
	opRootKey   = 0x2e

	opStableSize  = 0x30
	opStableGrow  = 0x31
	opStableWrite = 0x32
	opStableRead  = 0x33
	opHeapWrite   = 0x34
	opHeapRead    = 0x35
	opGrow        = 0x36
	opSet         = 0x37
	opGet         = 0x38
	opTouch       = 0x39

	opTime        = 0x40
	opTimer       = 0x41
	opCertify     = 0x42
	opCertificate = 0x43
	opPrint       = 0x44
	opCounter     = 0x45
	opVersion     = 0x46
	opStatus      = 0x47
	opController  = 0x48
	opReplicated  = 0x49
	opVariables   = 0x4a
	opVarName     = 0x4b
	opVariable    = 0x4c
	opHasVariable = 0x4d
	opCertified   = 0x4e

	opBalance     = 0x50
	opAvailable   = 0x51
	opRefunded    = 0x52
	opAccept      = 0x53
	opBurn        = 0x54
	opLiquid      = 0x55
	opCostCall    = 0x56
	opCostCreate  = 0x57
	opCostHTTP    = 0x58
	opCostECDSA   = 0x59
	opCostSchnorr = 0x5a
	opCostVetKD   = 0x5b

	opCall    = 0x60
	opData    = 0x61
	opCleanup = 0x62
	opAttach  = 0x63
	opTimeout = 0x64
	opPerform = 0x65
	opHook    = 0x70
	opAbsent  = 0xff
)

// operations is the table of all operations. opInt is followed by 8 bytes, opBlob, opRepeat and opIf
// by a length of 4 bytes and as many bytes, all little-endian.
var operations = [...]operation{
	{opInt, "number", "", "n"},
	{opBlob, "blob", "", "b"},
	{opDrop, "drop", "v", ""},
	{opDup, "dup", "v", "vv"},
	{opSwap, "swap", "vv", "vv"},
	{opAdd, "add", "nn", "n"},
	{opSub, "subtract", "nn", "n"},
	{opMul, "multiply", "nn", "n"},
	{opDiv, "divide", "nn", "n"},
	{opLess, "less", "nn", "n"},
	{opEqual, "equal", "nn", "n"},
	{opToBlob, "bytes", "n", "b"},
	{opToInt, "integer", "b", "n"},
	{opConcat, "concat", "bb", "b"},
	{opLength, "length", "b", "n"},
	{opSlice, "slice", "bnn", "b"},
	{opFill, "fill", "bn", "b"},
	{opRepeat, "repeat", "n", ""},
	{opIf, "if", "n", ""},
	{opTrap, "trap", "b", ""},
	{opFault, "unreachable", "", ""},
	{opBusy, "spin", "n", ""},
	{opStray, "stray", "", ""},
	{opRecurse, "recurse", "", ""},
	{opStop, "stop", "", ""},
	{opAppend, "append", "b", ""},
	{opReply, "reply", "", ""},
	{opReject, "reject", "b", ""},
	{opArg, "arg", "", "b"},
	{opCaller, "caller", "", "b"},
	{opSelf, "self", "", "b"},
	{opRejectNo, "reject-code", "", "n"},
	{opRejectMsg, "reject-message", "", "b"},
	{opDeadline, "deadline", "", "n"},
	{opMethod, "method", "", "b"},
	{opAdmit, "accept-message", "", ""},
	{opSubnet, "subnet", "", "b"},
	{opInfo, "caller-info", "", "b"},
	{opSigner, "caller-signer", "", "b"},
	{opRootKey, "root-key", "", "b"},
	{opStableSize, "stable-size", "", "n"},
	{opStableGrow, "stable-grow", "n", "n"},
	{opStableWrite, "stable-write", "nb", ""},
	{opStableRead, "stable-read", "nn", "b"},
	{opHeapWrite, "heap-write", "nb", ""},
	{opHeapRead, "heap-read", "nn", "b"},
	{opGrow, "grow", "n", "n"},
	{opSet, "set", "n", ""},
	{opGet, "get", "", "n"},
	{opTouch, "touch", "n", ""},
	{opTime, "time", "", "n"},
	{opTimer, "timer", "n", "n"},
	{opCertify, "certify", "b", ""},
	{opCertificate, "certificate", "", "b"},
	{opPrint, "print", "b", ""},
	{opCounter, "counter", "n", "n"},
	{opVersion, "version", "", "n"},
	{opStatus, "status", "", "n"},
	{opController, "is-controller", "b", "n"},
	{opReplicated, "replicated", "", "n"},
	{opVariables, "variables", "", "n"},
	{opVarName, "variable-name", "n", "b"},
	{opVariable, "variable", "b", "b"},
	{opHasVariable, "has-variable", "b", "n"},
	{opCertified, "certified", "", "n"},
	{opBalance, "balance", "", "b"},
	{opAvailable, "available", "", "b"},
	{opRefunded, "refunded", "", "b"},
	{opAccept, "accept", "n", "b"},
	{opBurn, "burn", "n", "b"},
	{opLiquid, "liquid", "", "b"},
	{opCostCall, "cost-call", "nn", "b"},
	{opCostCreate, "cost-create", "", "b"},
	{opCostHTTP, "cost-http", "nn", "b"},
	{opCostECDSA, "cost-ecdsa", "bn", "b"},
	{opCostSchnorr, "cost-schnorr", "bn", "b"},
	{opCostVetKD, "cost-vetkd", "bn", "b"},
	{opCall, "call-new", "bbpp", ""},
	{opData, "call-data", "b", ""},
	{opCleanup, "call-cleanup", "p", ""},
	{opAttach, "call-cycles", "n", ""},
	{opTimeout, "call-timeout", "n", ""},
	{opPerform, "perform", "", "n"},
	{opHook, "hook", "np", ""},
	{opAbsent, "absent", "", ""},
}

// operationOf is the operation with a code, nil if there is none.
func operationOf(code byte) *operation {
	for i := range operations {
		if operations[i].code == code {
			return &operations[i]
		}
	}
	return nil
}

// operationNamed is the operation with a name, nil if there is none.
func operationNamed(name string) *operation {
	for i := range operations {
		if operations[i].name == name {
			return &operations[i]
		}
	}
	return nil
}
