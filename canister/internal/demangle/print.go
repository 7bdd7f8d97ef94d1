package demangle

import (
	"math"
	"strconv"
	"strings"
)

// printer reads a v0 symbol and writes its text, in the terms of RFC 2603: paths, types and constants (constant.go).
//
// After a fault it completes the form that it was writing, with ? for parts that it cannot read. After a limit it reads
// and writes nothing more.
type printer struct {
	reader
	out    strings.Builder
	silent int    // nesting depth of parts that are read and not written
	bound  uint64 // lifetimes of the surrounding binders; not counted while silent
}

// v0 reads a symbol of the form _R, path, optionally the path of the crate that instantiated it. Windows and macOS
// write one underscore less or more.
func v0(name string) (text, suffix string, ok bool) {
	rest, ok := cutPrefix(name, "_R", "R", "__R")
	if !ok || rest == "" || rest[0] < 'A' || rest[0] > 'Z' || !isASCII(rest) {
		return "", "", false
	}
	check := checked(rest)
	if check.fault != sound {
		return "", "", false
	}
	return printed(rest).out.String(), rest[check.at:], true
}

// checked reads a symbol once, without back references, and writes nothing.
func checked(symbol string) *printer {
	p := &printer{reader: reader{symbol: symbol, steps: math.MaxInt}, silent: 1}
	p.path(false)
	if at := p.at; p.fault == sound && at < len(symbol) && symbol[at] >= 'A' && symbol[at] <= 'Z' {
		p.path(false)
	}
	return p
}

// printed writes the text of a symbol.
func printed(symbol string) *printer {
	p := &printer{reader: reader{symbol: symbol, steps: maxSteps}}
	p.path(true)
	if p.full {
		p.out.WriteString("{size limit reached}")
	}
	return p
}

// write writes a whole text, or nothing after a limit.
func (p *printer) write(text string) {
	switch {
	case p.silent > 0 || p.full:
	case len(text) > maxTextBytes-p.out.Len():
		p.exhaust()
	default:
		p.out.WriteString(text)
	}
}

func (p *printer) writeName(name identifier) {
	if p.silent == 0 {
		p.write(name.String())
	}
}

// try handles the result of a read: if it failed now, try writes why; if it failed before, a question mark.
func (p *printer) try(before fault, ok bool) bool {
	switch {
	case ok:
		return true
	case before != sound:
		p.write("?")
	default:
		p.write(p.fault.String())
	}
	return false
}

func read[T any](p *printer, token func() (T, bool)) (T, bool) {
	before := p.fault
	value, ok := token()
	return value, p.try(before, ok)
}

func (p *printer) begin() bool {
	before := p.fault
	return p.try(before, p.enter())
}

// end leaves what begin entered.
func (p *printer) end() {
	if p.fault == sound {
		p.leave()
	}
}

// wrong handles a token that was read and is not allowed here.
func (p *printer) wrong() { p.try(sound, p.fail()) }

// silently reads a part without writing it.
func (p *printer) silently(part func()) {
	p.silent++
	part()
	p.silent--
}

// follow writes the target of a back reference. While silent, it does not go there.
func (p *printer) follow(part func()) {
	to, ok := read(p, p.target)
	if !ok || p.silent > 0 {
		return
	}
	back := p.position
	p.position = to
	part()
	if !p.full {
		p.position = back
	}
}

// list writes parts up to E, and returns their number.
func (p *printer) list(separator string, part func()) int {
	n := 0
	for ; p.fault == sound && !p.eat('E'); n++ {
		if n > 0 {
			p.write(separator)
		}
		part()
	}
	return n
}

// lifetime writes a lifetime: 0 is '_, others count the surrounding binders from the innermost.
func (p *printer) lifetime(index uint64) {
	if p.silent > 0 {
		return
	}
	p.write("'")
	switch {
	case index == 0:
		p.write("_")
	case index > p.bound:
		p.wrong()
	case p.bound-index < 26:
		p.write(string(rune('a' + p.bound - index)))
	default:
		p.write("_")
		p.write(strconv.FormatUint(p.bound-index, 10))
	}
}

// binder reads a number of lifetimes, and writes them before the part that they are bound for.
func (p *printer) binder(part func()) {
	n, ok := read(p, func() (uint64, bool) { return p.tagged('G') })
	if !ok {
		return
	}
	if n == 0 || p.silent > 0 {
		part()
		return
	}
	before := p.bound
	p.write("for<")
	for i := uint64(0); i < n && !p.full; i++ {
		if i > 0 {
			p.write(", ")
		}
		p.bound++
		p.lifetime(1)
	}
	p.write("> ")
	if !p.full {
		part()
	}
	p.bound = before
}

// path writes a path: of a value as in expressions, with ::<> for its generics, or
// of a type.
func (p *printer) path(value bool) {
	if !p.begin() {
		return
	}
	tag, ok := read(p, p.next)
	if !ok {
		return
	}
	switch tag {
	case 'C': // the root of a crate
		if _, ok = read(p, p.disambiguator); !ok {
			return
		}
		var name identifier
		if name, ok = read(p, p.identifier); !ok {
			return
		}
		p.writeName(name)
	case 'N':
		if !p.nested(value) {
			return
		}
	case 'M', 'X', 'Y': // of an impl, of a trait's impl, of a trait
		if tag != 'Y' {
			if _, ok = read(p, p.disambiguator); !ok {
				return
			}
			p.silently(func() { p.path(false) })
		}
		p.write("<")
		p.typ()
		if tag != 'M' {
			p.write(" as ")
			p.path(false)
		}
		p.write(">")
	case 'I': // with generic arguments
		p.path(value)
		if value {
			p.write("::")
		}
		p.write("<")
		p.list(", ", p.argument)
		p.write(">")
	case 'B':
		p.follow(func() { p.path(value) })
	default:
		p.wrong()
		return
	}
	p.end()
}

// nested writes a path within another: its namespace is a capital letter for items without a name, such as closures.
func (p *printer) nested(value bool) bool {
	space, ok := read(p, p.next)
	if !ok {
		return false
	}
	capital := space >= 'A' && space <= 'Z'
	if !capital && (space < 'a' || space > 'z') {
		p.wrong()
		return false
	}
	p.path(value)
	if p.fault != sound {
		p.write("::")
	}
	number, ok := read(p, p.disambiguator)
	if !ok {
		return false
	}
	name, ok := read(p, p.identifier)
	if !ok {
		return false
	}
	if !capital {
		if !name.empty() {
			p.write("::")
			p.writeName(name)
		}
		return true
	}
	p.write("::{")
	switch space {
	case 'C':
		p.write("closure")
	case 'S':
		p.write("shim")
	default:
		p.write(string(rune(space)))
	}
	if !name.empty() {
		p.write(":")
		p.writeName(name)
	}
	p.write("#")
	p.write(strconv.FormatUint(number, 10))
	p.write("}")
	return true
}

// argument writes a generic argument.
func (p *printer) argument() {
	switch {
	case p.eat('L'):
		if index, ok := read(p, p.number); ok {
			p.lifetime(index)
		}
	case p.eat('K'):
		p.constant(false)
	default:
		p.typ()
	}
}
