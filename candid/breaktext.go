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
	b := breaker{text: text}
	if b.list('(', ')', ',') && b.at == len(text) {
		return string(b.out)
	}
	return text
}

// PrettyArgs returns an argument list for people: parts that do not fit a line are spread over several.
func PrettyArgs(args []Value) string { return Pretty(FormatArgs(args)) }

// breaker copies a text, and breaks the lists that do not fit the rest of their line.
type breaker struct {
	text   string
	at     int // in text
	out    []byte
	line   int // where the last line of out begins
	indent int
	depth  int
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
		switch c := b.text[b.at]; {
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
	depth := 0
	for i := b.at; i < len(b.text); i++ {
		switch c := b.text[i]; c {
		case '"':
			i = b.quoted(i) - 1
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				if c != closing {
					return -1
				}
				return i + 1
			}
		}
	}
	return -1
}

// quoted returns the position after the quoted text that begins at a position.
func (b *breaker) quoted(i int) int {
	for i++; i < len(b.text); i++ {
		switch b.text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b.text)
}

func (b *breaker) spaces() {
	for b.at < len(b.text) && b.text[b.at] == ' ' {
		b.at++
	}
}

func (b *breaker) newline() {
	b.out = append(b.out, '\n')
	b.line = len(b.out)
	b.out = append(b.out, strings.Repeat(" ", min(b.indent, maxIndent))...)
}
