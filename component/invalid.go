package component

import "fmt"

// Invalid says why bytes are not a valid component.
type Invalid struct {
	Malformed bool   // the bytes are not in the binary format; otherwise a rule of validation is broken
	Offset    int    // where the definition begins, in bytes from the beginning of the outermost component
	Reason    string // one sentence without a full stop
}

func (e *Invalid) Error() string {
	kind := "invalid"
	if e.Malformed {
		kind = "malformed"
	}
	return fmt.Sprintf("%s component: %s (at offset 0x%x)", kind, e.Reason, e.Offset)
}

// The reader and the validator report the first fault by a panic with *Invalid, which caught turns into an error. All
// other panics are bugs.

func malformed(offset int, format string, args ...any) {
	panic(&Invalid{Malformed: true, Offset: offset, Reason: fmt.Sprintf(format, args...)})
}

func invalid(offset int, format string, args ...any) {
	panic(&Invalid{Offset: offset, Reason: fmt.Sprintf(format, args...)})
}

// caught is deferred by the entry points of the reader and the validator.
func caught(err *error) {
	switch fault := recover().(type) {
	case nil:
	case *Invalid:
		*err = fault
	default:
		panic(fault)
	}
}
