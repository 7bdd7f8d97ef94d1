package candid

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// ErrorKind says why a message cannot be read.
type ErrorKind uint8

const (
	// Malformed bytes are not a Candid message, whatever type is expected.
	Malformed ErrorKind = iota + 1
	// Mismatch: the message is valid, but its types or values are not those expected.
	Mismatch
	// Limit: reading the message costs more than is allowed.
	Limit
)

// DecodeError is the error of every function that reads a message.
type DecodeError struct {
	Kind   ErrorKind
	Offset int    // bytes into the message
	Path   string // where in the arguments, "" if unknown
	Reason string
}

func (e *DecodeError) Error() string {
	var b strings.Builder
	switch e.Kind {
	case Malformed:
		b.WriteString("malformed Candid message")
	case Mismatch:
		b.WriteString("the Candid message does not have the expected type")
	case Limit:
		b.WriteString("the Candid message is too expensive to read")
	}
	b.WriteString(" at byte ")
	b.WriteString(strconv.Itoa(e.Offset))
	if e.Path != "" {
		b.WriteString(", in ")
		b.WriteString(e.Path)
	}
	b.WriteString(": ")
	b.WriteString(e.Reason)
	return b.String()
}

// errMismatch is passed up to the next option, which turns it into null, or to the caller, where decoder.explain adds a
// text. It has no text of its own because options often cause and discard it.
var errMismatch = errors.New("candid: mismatch")

// valueError is a fault in a value being written, with the path to it from the inside out. The path is separate from
// the text, and limited, because values may nest deep.
type valueError struct {
	steps []string
	err   error
}

func (e *valueError) Error() string {
	var b strings.Builder
	for _, step := range slices.Backward(e.steps) {
		b.WriteString(step)
		b.WriteString(": ")
	}
	b.WriteString(e.err.Error())
	return b.String()
}

func (e *valueError) Unwrap() error { return e.err }

// inside adds a step to the path of a fault.
func inside(err error, step string) error {
	const most = 32
	e, ok := err.(*valueError)
	if !ok {
		return &valueError{[]string{step}, err}
	}
	if len(e.steps) == most {
		step = "…"
	}
	if len(e.steps) <= most {
		e.steps = append(e.steps, step)
	}
	return e
}
