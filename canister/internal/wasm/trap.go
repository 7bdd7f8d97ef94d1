package wasm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// TrapKind says why a message ended.
type TrapKind int

// The kinds of traps. Names and numbers are ours; package canister maps them to the replica's texts and codes.
const (
	Bug TrapKind = iota
	HeapOutOfBounds
	TableOutOfBounds
	IntegerDivByZero
	IntegerOverflow
	InvalidConversion
	Unreachable
	StackOverflow
	BadSignature
	NullFunction
	FunctionNotFound // an export, or an index past the table
	TableNotFound    // for a closure
	NullClosure      // an empty entry of the table
	ClosureSignature // a function that does not take one pointer, or returns something
	ClosureArgument  // more than 32 bits, for a module with 32-bit memory
	InstructionLimit
	SliceOverrun
)

func (k TrapKind) String() string {
	names := [...]string{
		"engine bug", "heap out of bounds", "table out of bounds", "integer division by zero", "integer overflow", "invalid conversion to integer",
		"unreachable", "stack overflow", "indirect call signature mismatch", "indirect call of a null function", "function not found",
		"closure without a table", "null closure", "closure signature mismatch", "closure argument out of range",
		"instruction limit exceeded", "slice overrun",
	}
	if k < 0 || int(k) >= len(names) {
		return "trap " + strconv.Itoa(int(k))
	}
	return names[k]
}

// Frame is a function on the Wasm stack.
type Frame struct {
	Name  string // from the name section; "" if there is none
	Index int    // as a replica numbers functions, -1 if only the name is known
	// Offset of the operator in the code section of the rewritten module; 0 if the code has no positions.
	Offset uint32
}

// Trap is the error of a message that the engine ended.
type Trap struct {
	Kind      TrapKind
	Backtrace []Frame // innermost first, at most 30
	Detail    string  // the engine's text, for Bug
	Count     uint64  // SliceOverrun: instructions of the slice; InstructionLimit: those one charge was too large for, or 0
}

func (t *Trap) Error() string {
	if t.Detail == "" {
		return "wasm trap: " + t.Kind.String()
	}
	return "wasm trap: " + t.Kind.String() + ": " + t.Detail
}

// ended unwinds the guest: a host function panics with it after storing the error in the guest.
type ended struct{}

func (ended) Error() string { return "message ended by the host" }

var errEnded error = ended{}

// trapKinds maps the texts of the engine's own errors. The engine does not distinguish a null table entry from an index
// past the table.
var trapKinds = map[string]TrapKind{
	"out of bounds memory access":   HeapOutOfBounds,
	"invalid table access":          TableOutOfBounds,
	"integer divide by zero":        IntegerDivByZero,
	"integer overflow":              IntegerOverflow,
	"invalid conversion to integer": InvalidConversion,
	"unreachable":                   Unreachable,
	"stack overflow":                StackOverflow,
	"indirect call type mismatch":   BadSignature,
	"null reference":                NullFunction,
}

// engineError is the name of the type of the engine's own errors, which is internal to it.
const engineError = "*wasmruntime.Error"

// trapOf makes a trap from an error that ended compiled code of a module; ok is false if it came from a panic in a host
// function.
func trapOf(err error, m *rewrite.Module) (t *Trap, ok bool) {
	cause := err
	for {
		inner := errors.Unwrap(cause)
		if inner == nil {
			break
		}
		cause = inner
	}
	if fmt.Sprintf("%T", cause) != engineError {
		return nil, false
	}
	kind, known := trapKinds[cause.Error()]
	t = &Trap{Kind: kind, Backtrace: backtraceOf(err, m)}
	if !known {
		t.Detail = cause.Error()
	}
	return t, true
}

// backtraceOf parses the frames in the text of an engine error: one line each, "module.name(parameters) results". In a
// module with positions, each has its position on the next line.
func backtraceOf(err error, m *rewrite.Module) []Frame {
	_, text, ok := strings.Cut(err.Error(), "wasm stack trace:\n\t")
	if !ok {
		return nil
	}
	text, _, _ = strings.Cut(text, "\n\n")
	var frames []Frame
	for line := range strings.SplitSeq(text, "\n\t") {
		if offset, ok := rewrite.ParsePosition(line); ok && m.Positions && len(frames) > 0 {
			frames[len(frames)-1].Offset = offset
			continue
		}
		if name, ok := frameName(line); ok {
			frames = append(frames, frameOf(name, m))
		}
	}
	return frames
}

// frameName cuts off the signature: the last "(" that is followed only by value types begins the parameters.
func frameName(line string) (string, bool) {
	at := len(line)
	for range 2 { // results may be in brackets too
		at = strings.LastIndexByte(line[:at], '(')
		if at < 0 {
			return "", false
		}
		if at == 0 || line[at-1] != ' ' {
			break
		}
	}
	return line[:at], true
}

func frameOf(name string, m *rewrite.Module) Frame {
	name = strings.TrimPrefix(name, ".")
	if number, ok := strings.CutPrefix(name, "$"); ok {
		if index, err := strconv.Atoi(number); err == nil {
			return Frame{Index: m.ReplicaIndex(index)}
		}
	}
	return Frame{Name: name, Index: -1}
}
