package wat

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is what is wrong with a text and where. Line and Column count from 1;
// the column counts characters.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// fault is how the parser leaves a deep call: it never crosses the package's border.
type fault struct {
	offset  int
	message string
}

func fail(offset int, format string, args ...any) {
	panic(fault{offset, fmt.Sprintf(format, args...)})
}

// catch turns a fault raised in the caller into its error result.
func catch(text string, origin Position, err *error) {
	switch r := recover().(type) {
	case nil:
	case fault:
		p := origin.after(text[:min(r.offset, len(text))])
		*err = &Error{Line: p.Line, Column: p.Column, Message: r.message}
	default:
		panic(r)
	}
}

// Position is a place in a text; Line and Column count from 1. The zero value
// means the beginning.
type Position struct{ Line, Column int }

// PositionAt is the place of the byte at offset in text.
func PositionAt(text string, offset int) Position {
	return Position{}.after(text[:offset])
}

func (p Position) after(text string) Position {
	p.Line, p.Column = max(p.Line, 1), max(p.Column, 1)
	if n := strings.Count(text, "\n"); n > 0 {
		p.Line += n
		p.Column = 1
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	p.Column += utf8.RuneCountInString(text)
	return p
}
