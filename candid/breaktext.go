package candid

import "strings"

// prettyWidth is the preferred maximum length of a line of [Pretty].
const prettyWidth = 80

// maxIndent prevents deep values from printing mostly spaces.
const maxIndent = 120

// Pretty breaks an argument list in the textual form over several lines, for people: one that Format or FormatArgs has
// printed on one line. It changes nothing but spaces between values, so that the text still has the types with which it
// was printed. Text that is not an argument list stays as it is.
func Pretty(text string) string {
	if len(text) <= prettyWidth || text[0] != '(' {
		return text
	}
	b := newBreaker(text)
	if b.list('(', ')', ',') && b.at == len(text) {
		return string(b.out)
	}
	return text
}

// PrettyArgs returns an argument list for people: parts that do not fit a line are spread over several.
func PrettyArgs(args []Value) string { return Pretty(FormatArgs(args)) }

// breaker copies a text, and breaks the lists that do not fit the rest of their line. It reads each character of the text
// a fixed number of times, however deep its lists are.
type breaker struct {
	text   string
	lists  []span // those that begin at or after the position, in their order, and maybe earlier ones
	read   int    // characters that were read
	at     int    // in text
	out    []byte
	line   int // where the last line of out begins
	indent int
	depth  int
}

// span is a list in a text: where its brackets begin and end.
type span struct {
	begin, end int // end is -1 for a list that does not end
}

// newBreaker finds the lists of a text.
func newBreaker(text string) *breaker {
	b := &breaker{text: text}
	var open []int // lists that have not ended, in b.lists
	for i := 0; i < len(text); i++ {
		switch b.look(i) {
		case '"':
			i = b.quoted(i) - 1
		case '(', '{':
			open = append(open, len(b.lists))
			b.lists = append(b.lists, span{i, -1})
		case ')', '}':
			if last := len(open) - 1; last >= 0 {
				b.lists[open[last]].end = i + 1
				open = open[:last]
			}
		}
	}
	return b
}

// look reads a character.
func (b *breaker) look(i int) byte {
	b.read++
	return b.text[i]
}

// list copies a list between brackets, at which the text is. It returns false if the list does not end.
func (b *breaker) list(opening, closing, separator byte) bool {
	if b.depth++; b.depth > MaxDepth {
		return false
	}
	defer func() { b.depth-- }()
	end := b.end(closing)
	if end < 0 {
		return false
	}
	whole := b.text[b.at:end]
	if inner := strings.TrimSpace(whole[1 : len(whole)-1]); inner == "" || len(whole) <= prettyWidth-(len(b.out)-b.line) {
		b.out, b.at = append(b.out, whole...), end
		return true
	}
	b.out = append(b.out, opening)
	b.at++
	b.indent += 2
	for b.spaces(); b.at < end-1; b.spaces() {
		b.newline()
		if !b.element(separator, end-1) {
			return false
		}
		b.out = append(b.out, separator)
	}
	b.indent -= 2
	b.newline()
	b.out, b.at = append(b.out, closing), end
	return true
}

// element copies an element of a list up to its separator, or to the end of the list.
func (b *breaker) element(separator byte, end int) bool {
	parentheses := 0
	for b.at < end {
		switch c := b.look(b.at); {
		case c == '"':
			after := b.quoted(b.at)
			b.out, b.at = append(b.out, b.text[b.at:after]...), after
			continue
		case c == '{':
			if !b.list('{', '}', ';') {
				return false
			}
			continue
		case c == '(':
			parentheses++
		case c == ')':
			parentheses--
		case c == separator && parentheses == 0:
			b.at++
			return true
		}
		b.out = append(b.out, b.text[b.at])
		b.at++
	}
	for len(b.out) > 0 && b.out[len(b.out)-1] == ' ' {
		b.out = b.out[:len(b.out)-1]
	}
	return true
}

// end returns the position after the bracket that closes the list at which the text is; -1 if there is none.
func (b *breaker) end(closing byte) int {
	for len(b.lists) > 0 && b.lists[0].begin < b.at {
		b.lists = b.lists[1:]
	}
	if len(b.lists) == 0 || b.lists[0].end < 0 || b.look(b.lists[0].end-1) != closing {
		return -1
	}
	return b.lists[0].end
}

// quoted returns the position after the quoted text that begins at a position.
func (b *breaker) quoted(i int) int {
	for i++; i < len(b.text); i++ {
		switch b.look(i) {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b.text)
}

func (b *breaker) spaces() {
	for b.at < len(b.text) && b.look(b.at) == ' ' {
		b.at++
	}
}

func (b *breaker) newline() {
	b.out = append(b.out, '\n')
	b.line = len(b.out)
	b.out = append(b.out, strings.Repeat(" ", min(b.indent, maxIndent))...)
}
