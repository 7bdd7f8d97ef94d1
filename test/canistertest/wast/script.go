package wast

import "github.com/canisterd/canisterd/test/canistertest/wat"

// Kind says what a Command does (WebAssembly reference interpreter, "Scripts").
type Kind string

const (
	Define           Kind = "module"            // define a module, and instantiate it unless Module.Definition
	Instance         Kind = "module instance"   // instantiate the module defined as Source under Name
	Register         Kind = "register"          // make instance Name importable as As
	Act              Kind = "action"            // perform Action; nothing is expected but success
	AssertReturn     Kind = "assert_return"     // Action gives Results
	AssertTrap       Kind = "assert_trap"       // Action, or instantiating Module, traps
	AssertExhaustion Kind = "assert_exhaustion" // Action exhausts the call stack
	AssertException  Kind = "assert_exception"  // Action ends in an uncaught exception
	AssertMalformed  Kind = "assert_malformed"  // Module cannot be decoded or parsed
	AssertInvalid    Kind = "assert_invalid"    // Module does not validate
	AssertUnlinkable Kind = "assert_unlinkable" // Module cannot be linked
)

// Command is one command of a script. Which fields are set follows from Kind.
type Command struct {
	Kind    Kind
	Line    int
	Name    string   // instance name without dollar; "" means the latest
	Source  string   // Instance: name of the definition; "" means the latest
	As      string   // Register
	Module  *Module  // Define and the assertions about modules
	Action  *Action  // Act and the assertions about actions
	Results []Result // AssertReturn
	Message string   // the reference interpreter's message of a failed assertion
}

// Form is how a module is written in the script.
type Form string

const (
	Text   Form = "text"
	Binary Form = "binary"
	Quote  Form = "quote"
)

// Module is a module as written; it may be malformed.
type Module struct {
	Form       Form
	Definition bool   // defined only, to be instantiated by name
	Content    string // Text: "(module …)" or fields; Binary: the bytes; Quote: the text unquoted
	Origin     wat.Position
}

// Encode gives the module's binary. The error of a text is an *wat.Error whose
// lines are the script's, or for Quote those of the quoted text.
func (m *Module) Encode() ([]byte, error) {
	if m.Form == Binary {
		return []byte(m.Content), nil
	}
	return wat.Options{Origin: m.Origin}.Assemble(m.Content)
}

// Action is a call of an exported function, or with Get the reading of an
// exported global.
type Action struct {
	Get      bool
	Instance string // name without dollar; "" means the latest
	Export   string
	Args     []Value
}

// Value is a constant. Number types keep their bits in Low, v128 all 128
// (little endian lanes, Low first). References have Type "ref".
type Value struct {
	Type      string // i32, i64, f32, f64, v128, ref
	Low, High uint64
	Ref       Ref
}

// Ref is a reference constant.
type Ref struct {
	Heap   string // heap type as written: func, extern, any, host, i31, …; "" if the script leaves it open
	Null   bool
	Host   uint64 // the host's number, of (ref.extern n) and (ref.host n)
	Pinned bool   // Host is given; otherwise any reference of the type
}

// Pattern says what bits of a lane are allowed.
type Pattern uint8

const (
	Exact         Pattern = iota
	CanonicalNaN          // only the quiet bit of the payload is set, any sign
	ArithmeticNaN         // the quiet bit of the payload is set, any sign
)

// Result is an expected result: a value, with a pattern per lane where NaNs
// are open, or one of several.
type Result struct {
	Value
	Lane     int       // bits per lane of a v128: 8, 16, 32, 64; 0 otherwise
	Patterns []Pattern // nil: all bits as in Value; otherwise one per lane (one for f32 and f64)
	Either   []Result
}

// Matches says whether a number or vector result has bits the script allows.
// References are for the caller to judge.
func (r Result) Matches(low, high uint64) bool {
	for _, e := range r.Either {
		if e.Matches(low, high) {
			return true
		}
	}
	switch {
	case len(r.Either) > 0:
		return false
	case r.Patterns == nil && r.Type == "v128":
		return low == r.Low && high == r.High
	case r.Patterns == nil:
		return low == r.Low
	}
	width := r.Lane
	if width == 0 {
		width = 64
		if r.Type == "f32" {
			width = 32
		}
	}
	for i, p := range r.Patterns {
		if !p.matches(laneOf(low, high, i, width), laneOf(r.Low, r.High, i, width), width) {
			return false
		}
	}
	return true
}

func laneOf(low, high uint64, lane, width int) uint64 {
	bit := lane * width
	if bit >= 64 {
		low, bit = high, bit-64
	}
	return low >> bit & (1<<width - 1)
}

func (p Pattern) matches(got, want uint64, width int) bool {
	quiet, all := uint64(0x7fc0_0000), uint64(0x7fff_ffff)
	if width == 64 {
		quiet, all = 0x7ff8_0000_0000_0000, 0x7fff_ffff_ffff_ffff
	}
	switch p {
	case CanonicalNaN:
		return got&all == quiet
	case ArithmeticNaN:
		return got&quiet == quiet
	default:
		return got == want
	}
}
