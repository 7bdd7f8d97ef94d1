package demangle

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// constant writes a constant. Within an expression nothing needs braces; as a generic argument, everything except
// literals and names does.
func (p *printer) constant(within bool) {
	tag, ok := read(p, p.next)
	if !ok || !p.begin() {
		return
	}
	closing := ""
	brace := func() {
		if !within {
			p.write("{")
			closing = "}"
		}
	}
	switch tag {
	case 'p':
		p.write("_")
	case 'a', 's', 'l', 'x', 'n', 'i':
		if p.eat('n') {
			p.write("-")
		}
		p.integer()
	case 'h', 't', 'm', 'y', 'o', 'j':
		p.integer()
	case 'b', 'c':
		ok = p.scalar(tag)
	case 'e': // a literal is a reference; this is its referent
		brace()
		p.write("*")
		p.literal()
	case 'R', 'Q':
		if tag == 'R' && p.eat('e') {
			p.literal()
			break
		}
		brace()
		p.write("&")
		if tag == 'Q' {
			p.write("mut ")
		}
		p.constant(true)
	case 'A':
		brace()
		p.write("[")
		p.list(", ", p.inner)
		p.write("]")
	case 'T':
		brace()
		p.tuple(p.inner)
	case 'V':
		brace()
		p.path(true)
		ok = p.fields()
	case 'B':
		p.follow(func() { p.constant(within) })
	default:
		p.wrong()
		return
	}
	if ok {
		p.write(closing)
		p.end()
	}
}

// inner writes a constant within another.
func (p *printer) inner() { p.constant(true) }

// integer writes a number without its type: in decimal if it has at most 64 bits.
func (p *printer) integer() {
	digits, ok := read(p, p.nibbles)
	if !ok {
		return
	}
	if n, ok := uint64Of(digits); ok {
		p.write(strconv.FormatUint(n, 10))
		return
	}
	p.write("0x")
	p.write(digits)
}

// uint64Of returns the value of hexadecimal digits; no digits are 0.
func uint64Of(digits string) (uint64, bool) {
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(digits, 16, 64)
	return n, err == nil
}

// scalar writes a bool or a char.
func (p *printer) scalar(tag byte) bool {
	digits, ok := read(p, p.nibbles)
	if !ok {
		return false
	}
	n, ok := uint64Of(digits)
	switch {
	case ok && tag == 'b' && n <= 1:
		p.write(strconv.FormatBool(n == 1))
	case ok && tag == 'c' && n <= utf8.MaxRune && utf8.ValidRune(rune(n)):
		p.quoted('\'', string(rune(n)))
	default:
		p.wrong()
		return false
	}
	return true
}

// literal writes a string.
func (p *printer) literal() {
	digits, ok := read(p, p.nibbles)
	if !ok {
		return
	}
	text, err := hex.DecodeString(digits)
	if err != nil || !utf8.Valid(text) {
		p.wrong()
		return
	}
	p.quoted('"', string(text))
}

// quoted writes a text in quotes as Rust does for debugging. It does not escape the other kind of quotes.
func (p *printer) quoted(quote rune, text string) {
	p.write(string(quote))
	for _, r := range text {
		if p.full {
			return
		}
		if r == '\'' || r == '"' {
			if r == quote {
				p.write("\\")
			}
			p.write(string(r))
			continue
		}
		p.write(escapeDebug(r))
	}
	p.write(string(quote))
}

// escapeDebug returns a character of a literal: as its number if it is invisible or combines with the previous one.
func escapeDebug(r rune) string {
	switch r {
	case 0:
		return `\0`
	case '\t':
		return `\t`
	case '\r':
		return `\r`
	case '\n':
		return `\n`
	case '\\':
		return `\\`
	}
	if !unicode.IsPrint(r) || unicode.In(r, unicode.Mn, unicode.Me, unicode.Other_Grapheme_Extend) {
		return fmt.Sprintf(`\u{%x}`, r)
	}
	return string(r)
}

// fields writes what follows the path of a struct or a variant.
func (p *printer) fields() bool {
	kind, ok := read(p, p.next)
	if !ok {
		return false
	}
	switch kind {
	case 'U':
	case 'T':
		p.write("(")
		p.list(", ", p.inner)
		p.write(")")
	case 'S':
		p.write(" { ")
		p.list(", ", p.field)
		p.write(" }")
	default:
		p.wrong()
		return false
	}
	return true
}

func (p *printer) field() {
	if _, ok := read(p, p.disambiguator); !ok {
		return
	}
	name, ok := read(p, p.identifier)
	if !ok {
		return
	}
	p.writeName(name)
	p.write(": ")
	p.constant(true)
}
