package candid

import (
	"errors"
	"strconv"
	"strings"
)

// ErrorKind says what stood in the way of reading a message.
type ErrorKind uint8

const (
	// Malformed bytes are not a Candid message, whatever type is expected.
	Malformed ErrorKind = iota + 1
	// Mismatch: the message is fine, its types or values are not those expected.
	Mismatch
	// Limit: reading the message costs more than is allowed.
	Limit
)

// DecodeError is the error of every function that reads a message.
type DecodeError struct {
	Kind   ErrorKind
	Offset int    // bytes into the message
	Path   string // where in the arguments, "" where unknown
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

// errMismatch travels up to the next option, which turns it into null, or to
// the caller, where decoder.explain gives it words. It has none of its own
// because options meet it often and throw it away.
var errMismatch = errors.New("candid: mismatch")
