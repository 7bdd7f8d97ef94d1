package demangle

import "strings"

// basic are the types that have their own tag.
var basic = map[byte]string{
	'b': "bool", 'c': "char", 'e': "str", 'u': "()", 'a': "i8", 's': "i16", 'l': "i32", 'x': "i64", 'n': "i128", 'i': "isize",
	'h': "u8", 't': "u16", 'm': "u32", 'y': "u64", 'o': "u128", 'j': "usize", 'f': "f32", 'd': "f64", 'z': "!", 'p': "_", 'v': "...",
}

// typ writes a type.
func (p *printer) typ() {
	if p.eat('w') {
		p.write("#[splat] ")
	}
	tag, ok := read(p, p.next)
	if !ok {
		return
	}
	if name, ok := basic[tag]; ok {
		p.write(name)
		return
	}
	if !p.begin() {
		return
	}
	switch tag {
	case 'R', 'Q':
		if !p.reference(tag == 'Q') {
			return
		}
	case 'P':
		p.write("*const ")
		p.typ()
	case 'O':
		p.write("*mut ")
		p.typ()
	case 'A', 'S':
		p.write("[")
		p.typ()
		if tag == 'A' {
			p.write("; ")
			p.constant(true)
		}
		p.write("]")
	case 'T':
		p.tuple(p.typ)
	case 'F':
		p.binder(p.function)
	case 'D':
		if !p.object() {
			return
		}
	case 'B':
		p.follow(p.typ)
	case 'W':
		p.typ()
		p.write(" is ")
		p.pattern()
	default: // a path, which reads its tag again
		p.at--
		p.path(false)
	}
	p.end()
}

// tuple writes parts in parentheses.
func (p *printer) tuple(part func()) {
	p.write("(")
	if p.list(", ", part) == 1 {
		p.write(",")
	}
	p.write(")")
}

func (p *printer) reference(mutable bool) bool {
	p.write("&")
	if p.eat('L') {
		index, ok := read(p, p.number)
		if !ok {
			return false
		}
		if index != 0 {
			p.lifetime(index)
			p.write(" ")
		}
	}
	if mutable {
		p.write("mut ")
	}
	p.typ()
	return true
}

// function writes the type of a function after its binder.
func (p *printer) function() {
	unsafe := p.eat('U')
	abi := ""
	switch {
	case !p.eat('K'):
	case p.eat('C'):
		abi = "C"
	default:
		name, ok := read(p, p.identifier)
		if !ok {
			return
		}
		if name.ascii == "" || name.punycode != "" {
			p.wrong()
			return
		}
		abi = strings.ReplaceAll(name.ascii, "_", "-")
	}
	if unsafe {
		p.write("unsafe ")
	}
	if abi != "" {
		p.write("extern \"")
		p.write(abi)
		p.write("\" ")
	}
	p.write("fn(")
	p.list(", ", p.typ)
	p.write(")")
	if !p.eat('u') { // which is ()
		p.write(" -> ")
		p.typ()
	}
}

// object writes the type of a trait object.
func (p *printer) object() bool {
	p.write("dyn ")
	p.binder(func() { p.list(" + ", p.trait) })
	if !p.eat('L') {
		p.wrong()
		return false
	}
	index, ok := read(p, p.number)
	if !ok {
		return false
	}
	if index != 0 {
		p.write(" + ")
		p.lifetime(index)
	}
	return true
}

// trait writes one trait of a trait object. Its associated types are inside the angle brackets of its generic
// arguments.
func (p *printer) trait() {
	open := p.openPath()
	for p.eat('p') {
		if open {
			p.write(", ")
		} else {
			p.write("<")
			open = true
		}
		name, ok := read(p, p.identifier)
		if !ok {
			return
		}
		p.writeName(name)
		p.write(" = ")
		if p.eat('K') {
			p.constant(false)
		} else {
			p.typ()
		}
	}
	if open {
		p.write(">")
	}
}

// openPath writes a path, and reports whether the bracket of its generic arguments is
// still open.
func (p *printer) openPath() (open bool) {
	switch {
	case p.eat('B'):
		p.follow(func() { open = p.openPath() })
		return open
	case p.eat('I'):
		p.path(false)
		p.write("<")
		p.list(", ", p.argument)
		return true
	}
	p.path(false)
	return false
}

// pattern writes the values to which a type is restricted.
func (p *printer) pattern() {
	tag, ok := read(p, p.next)
	if !ok {
		return
	}
	switch tag {
	case 'R':
		p.constant(false)
		p.write("..=")
		p.constant(false)
	case 'O':
		if !p.begin() {
			return
		}
		p.pattern()
		for !p.eat('E') {
			if p.fault != sound {
				p.wrong()
				return
			}
			p.write(" | ")
			p.pattern()
		}
		p.end()
	case 'N':
		p.write("!null")
	default:
		p.wrong()
	}
}
