package component

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

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
	panic(&Invalid{Malformed: true, Offset: offset, Reason: reason(format, args...)})
}

func invalid(offset int, format string, args ...any) {
	panic(&Invalid{Offset: offset, Reason: reason(format, args...)})
}

// reason writes a reason. Names are those of the component, and may have any length. An error has a reason of its own.
func reason(format string, args ...any) string {
	shown := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			shown[i] = short(arg, maxShownName)
		case error:
			shown[i] = short(arg.Error(), maxShownReason)
		default:
			shown[i] = arg
		}
	}
	return short(fmt.Sprintf(format, shown...), maxShownReason)
}

// refusal is an error that has a reason.
func refusal(format string, args ...any) error { return errors.New(reason(format, args...)) }

// short is a text of at most so many bytes. A longer one ends in ….
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
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
