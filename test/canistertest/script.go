package canistertest

import (
	"encoding/binary"

	"github.com/canisterd/canisterd/candid/principal"
)

// Program is a program of the scriptable canister being written. Methods append
// operations and give the program back, so that they can be chained; each says in its
// comment what it takes from the stack and what it pushes, the top to the right.
// Operands can be given at once with the methods that take arguments.
type Program struct{ code []byte }

// Script is an empty program.
func Script() *Program { return &Program{} }

// Bytes is the program as the argument of a message. A nil program is empty.
func (p *Program) Bytes() []byte {
	if p == nil {
		return nil
	}
	return p.code
}

func (p *Program) op(code byte) *Program {
	p.code = append(p.code, code)
	return p
}

// Raw appends bytes as they are.
func (p *Program) Raw(code ...byte) *Program {
	p.code = append(p.code, code...)
	return p
}

// Int pushes a number.
func (p *Program) Int(n uint64) *Program {
	p.code = binary.LittleEndian.AppendUint64(append(p.code, opInt), n)
	return p
}

// Blob pushes bytes.
func (p *Program) Blob(b []byte) *Program {
	p.code = binary.LittleEndian.AppendUint32(append(p.code, opBlob), uint32(len(b)))
	p.code = append(p.code, b...)
	return p
}

// Text pushes the bytes of a text.
func (p *Program) Text(s string) *Program { return p.Blob([]byte(s)) }

// Program pushes a program, as an argument for calls and hooks.
func (p *Program) Program(q *Program) *Program { return p.Blob(q.Bytes()) }

func (p *Program) block(code byte, body *Program) *Program {
	p.code = binary.LittleEndian.AppendUint32(append(p.code, code), uint32(len(body.Bytes())))
	p.code = append(p.code, body.Bytes()...)
	return p
}

// The stack and numbers.

func (p *Program) Drop() *Program   { return p.op(opDrop) }   // v ->
func (p *Program) Dup() *Program    { return p.op(opDup) }    // v -> v v
func (p *Program) Swap() *Program   { return p.op(opSwap) }   // v w -> w v
func (p *Program) Add() *Program    { return p.op(opAdd) }    // n m -> n+m
func (p *Program) Sub() *Program    { return p.op(opSub) }    // n m -> n-m
func (p *Program) Mul() *Program    { return p.op(opMul) }    // n m -> n*m
func (p *Program) Div() *Program    { return p.op(opDiv) }    // n m -> n/m, or a trap
func (p *Program) Less() *Program   { return p.op(opLess) }   // n m -> 1 or 0
func (p *Program) Equal() *Program  { return p.op(opEqual) }  // n m -> 1 or 0
func (p *Program) ToBlob() *Program { return p.op(opToBlob) } // n -> b of 8 bytes, little-endian
func (p *Program) ToInt() *Program  { return p.op(opToInt) }  // b -> n of its first 8 bytes, or a trap
func (p *Program) Concat() *Program { return p.op(opConcat) } // b c -> bc
func (p *Program) Length() *Program { return p.op(opLength) } // b -> n

// Repeat runs body n times.
func (p *Program) Repeat(n uint64, body *Program) *Program { return p.Int(n).block(opRepeat, body) }

// If runs body unless the number on the stack is 0: n ->
func (p *Program) If(body *Program) *Program { return p.block(opIf, body) }

// Trap calls ic0.trap with a text.
func (p *Program) Trap(text string) *Program { return p.Text(text).op(opTrap) }

// Fault runs the instruction unreachable.
func (p *Program) Fault() *Program { return p.op(opFault) }

// Busy runs a loop of n turns, 10 instructions each.
func (p *Program) Busy(n uint64) *Program { return p.Int(n).op(opBusy) }

// The message and its answer.

func (p *Program) Append() *Program        { return p.op(opAppend) }    // b ->
func (p *Program) Answer() *Program        { return p.op(opReply) }     // replies with what was appended
func (p *Program) RejectBlob() *Program    { return p.op(opReject) }    // b ->
func (p *Program) Arg() *Program           { return p.op(opArg) }       // -> b, in callbacks the reply
func (p *Program) Caller() *Program        { return p.op(opCaller) }    // -> b
func (p *Program) Self() *Program          { return p.op(opSelf) }      // -> b
func (p *Program) Subnet() *Program        { return p.op(opSubnet) }    // -> b
func (p *Program) RejectCode() *Program    { return p.op(opRejectNo) }  // -> n
func (p *Program) RejectMessage() *Program { return p.op(opRejectMsg) } // -> b
func (p *Program) Deadline() *Program      { return p.op(opDeadline) }  // -> ns
func (p *Program) Method() *Program        { return p.op(opMethod) }    // -> b
func (p *Program) Admit() *Program         { return p.op(opAdmit) }     // ic0.accept_message

// Reply replies with bytes.
func (p *Program) Reply(b []byte) *Program { return p.Blob(b).Append().Answer() }

// ReplyText replies with a text.
func (p *Program) ReplyText(s string) *Program { return p.Reply([]byte(s)) }

// ReplyInt replies with the number on the stack in 8 bytes, little-endian: n ->
func (p *Program) ReplyInt() *Program { return p.ToBlob().Append().Answer() }

// ReplyTop replies with the blob on the stack: b ->
func (p *Program) ReplyTop() *Program { return p.Append().Answer() }

// Reject rejects with a text.
func (p *Program) Reject(text string) *Program { return p.Text(text).RejectBlob() }

// What stays.

func (p *Program) StableSize() *Program { return p.op(opStableSize) } // -> pages

// StableGrow grows stable memory: -> old pages or -1.
func (p *Program) StableGrow(pages uint64) *Program { return p.Int(pages).op(opStableGrow) }

// StableWrite writes bytes at an offset.
func (p *Program) StableWrite(offset uint64, b []byte) *Program {
	return p.Int(offset).Blob(b).op(opStableWrite)
}

// StableRead reads n bytes at an offset: -> b.
func (p *Program) StableRead(offset, n uint64) *Program {
	return p.Int(offset).Int(n).op(opStableRead)
}

// HeapWrite writes bytes at an offset of the user's heap (HeapBytes large).
func (p *Program) HeapWrite(offset uint64, b []byte) *Program {
	return p.Int(offset).Blob(b).op(opHeapWrite)
}

// HeapRead reads n bytes at an offset of the user's heap: -> b.
func (p *Program) HeapRead(offset, n uint64) *Program { return p.Int(offset).Int(n).op(opHeapRead) }

// Grow grows the heap by pages of 64 KiB: -> old pages or -1.
func (p *Program) Grow(pages uint64) *Program { return p.Int(pages).op(opGrow) }

func (p *Program) Set() *Program { return p.op(opSet) } // n ->; the register
func (p *Program) Get() *Program { return p.op(opGet) } // -> n

// Count adds n to the register.
func (p *Program) Count(n uint64) *Program { return p.Get().Int(n).Add().Set() }

// The system.

func (p *Program) Time() *Program         { return p.op(opTime) }        // -> ns
func (p *Program) Certificate() *Program  { return p.op(opCertificate) } // -> b
func (p *Program) Version() *Program      { return p.op(opVersion) }     // -> n
func (p *Program) Status() *Program       { return p.op(opStatus) }      // -> n
func (p *Program) IsController() *Program { return p.op(opController) }  // b -> 1 or 0
func (p *Program) InReplicated() *Program { return p.op(opReplicated) }  // -> 1 or 0

// Timer sets the global timer: -> the old one.
func (p *Program) Timer(ns uint64) *Program { return p.Int(ns).op(opTimer) }

// Certify sets certified data.
func (p *Program) Certify(b []byte) *Program { return p.Blob(b).op(opCertify) }

// Print calls ic0.debug_print.
func (p *Program) Print(text string) *Program { return p.Text(text).op(opPrint) }

// Counter reads a performance counter: -> instructions.
func (p *Program) Counter(kind uint64) *Program { return p.Int(kind).op(opCounter) }

// Cycles: all amounts are blobs of 16 bytes, little-endian.

func (p *Program) Balance() *Program   { return p.op(opBalance) }   // -> b
func (p *Program) Liquid() *Program    { return p.op(opLiquid) }    // -> b
func (p *Program) Available() *Program { return p.op(opAvailable) } // -> b
func (p *Program) Refunded() *Program  { return p.op(opRefunded) }  // -> b

// Accept accepts up to n cycles: -> b.
func (p *Program) Accept(n uint64) *Program { return p.Int(n).op(opAccept) }

// Burn burns up to n cycles: -> b.
func (p *Program) Burn(n uint64) *Program { return p.Int(n).op(opBurn) }

// Hook is an entry point whose program Program.Hook sets.
type Hook uint64

// The hooks.
const (
	HookPreUpgrade Hook = iota
	HookTimer
	HookLowMemory
	HookInspect
	HookHeartbeat
	hookCount
)

// Hook sets the program of an entry point, at most 1,000 bytes.
func (p *Program) Hook(h Hook, q *Program) *Program { return p.Int(uint64(h)).Program(q).op(opHook) }

// Call describes a call for Program.Call.
type Call struct {
	Callee  principal.Principal
	Method  string // "run" where empty
	Arg     []byte
	Program *Program // the argument, for a scriptable callee, where Arg is nil

	OnReply, OnReject *Program // nil does nothing
	OnCleanup         *Program // nil for no cleanup closure
	Cycles            uint64
	Timeout           *uint64 // seconds: a best-effort call
}

// Call makes a call: -> 0, or the error of ic0.call_perform.
func (p *Program) Call(c Call) *Program {
	method := c.Method
	if method == "" {
		method = "run"
	}
	arg := c.Arg
	if arg == nil {
		arg = c.Program.Bytes()
	}
	p.Blob(c.Callee.Bytes()).Text(method).Program(c.OnReply).Program(c.OnReject).op(opCall)
	p.Blob(arg).op(opData)
	if c.OnCleanup != nil {
		p.Program(c.OnCleanup).op(opCleanup)
	}
	if c.Cycles != 0 {
		p.Int(c.Cycles).op(opAttach)
	}
	if c.Timeout != nil {
		p.Int(*c.Timeout).op(opTimeout)
	}
	return p.op(opPerform)
}
