package demangle

import (
	"math/bits"
	"strings"
)

// fault says why a v0 symbol cannot be read further.
type fault uint8

const (
	sound fault = iota
	invalid
	tooDeep
)

func (f fault) String() string {
	if f == tooDeep {
		return "{recursion limit reached}"
	}
	return "{invalid syntax}"
}

// position is the position of the reader in a symbol.
//
// Invariant: after a fault nothing more is read.
type position struct {
	at, depth int
	fault     fault
}

// reader reads the tokens of a v0 symbol. A missing token is a fault, and the method returns false.
type reader struct {
	position
	symbol string
	steps  int  // bytes that may still be read
	full   bool // a limit was reached: there is a fault, and no back reference clears it
}

// exhaust records that a limit was reached.
func (r *reader) exhaust() { r.full, r.fault = true, invalid }

// advance skips a byte.
func (r *reader) advance() {
	r.at++
	if r.steps--; r.steps < 0 {
		r.exhaust()
	}
}

// next reads the next byte.
func (r *reader) next() (byte, bool) {
	if r.at >= len(r.symbol) {
		r.fault = invalid
	}
	if r.fault != sound {
		return 0, false
	}
	b := r.symbol[r.at]
	r.advance()
	return b, r.fault == sound
}

// eat reads a byte if it is the given one.
func (r *reader) eat(b byte) bool {
	if r.fault != sound || r.at >= len(r.symbol) || r.symbol[r.at] != b {
		return false
	}
	r.advance()
	return true
}

// enter begins a nested part.
func (r *reader) enter() bool {
	if r.fault != sound {
		return false
	}
	if r.depth++; r.depth > maxDepth {
		r.fault = tooDeep
	}
	return r.fault == sound
}

// leave ends a nested part.
func (r *reader) leave() { r.depth-- }

// fail records a syntax fault.
func (r *reader) fail() bool {
	r.fault = invalid
	return false
}

// number reads an integer in base 62: _ is 0, 0_ is 1.
func (r *reader) number() (uint64, bool) {
	var n uint64
	for first := true; ; first = false {
		b, ok := r.next()
		if !ok {
			return 0, false
		}
		var digit uint64
		switch {
		case b == '_' && first:
			return 0, true
		case b == '_':
			if n++; n == 0 {
				return 0, r.fail()
			}
			return n, true
		case b >= '0' && b <= '9':
			digit = uint64(b - '0')
		case b >= 'a' && b <= 'z':
			digit = uint64(b-'a') + 10
		case b >= 'A' && b <= 'Z':
			digit = uint64(b-'A') + 36
		default:
			return 0, r.fail()
		}
		over, product := bits.Mul64(n, 62)
		sum, carry := bits.Add64(product, digit, 0)
		if over != 0 || carry != 0 {
			return 0, r.fail()
		}
		n = sum
	}
}

// tagged reads a number after its tag, plus one; 0 without a tag.
func (r *reader) tagged(tag byte) (uint64, bool) {
	if r.fault != sound {
		return 0, false
	}
	if !r.eat(tag) {
		return 0, true
	}
	n, ok := r.number()
	if n++; ok && n == 0 {
		return 0, r.fail()
	}
	return n, ok
}

// disambiguator reads the number that distinguishes items of one name.
func (r *reader) disambiguator() (uint64, bool) { return r.tagged('s') }

// identifier reads a name: the length, the bytes, and the non-ASCII part in Punycode.
func (r *reader) identifier() (identifier, bool) {
	if r.fault != sound {
		return identifier{}, false
	}
	encoded := r.eat('u')
	size, zero := 0, false
	for digits := 0; ; digits++ {
		if r.at >= len(r.symbol) || r.symbol[r.at] < '0' || r.symbol[r.at] > '9' || zero {
			if digits == 0 {
				return identifier{}, r.fail()
			}
			break
		}
		b, ok := r.next()
		if !ok {
			return identifier{}, false
		}
		size = 10*size + int(b-'0')
		if zero = size == 0; size > len(r.symbol) {
			return identifier{}, r.fail()
		}
	}
	r.eat('_') // separates a name that begins with a digit from its length
	if size > len(r.symbol)-r.at {
		return identifier{}, r.fail()
	}
	name := identifier{ascii: r.symbol[r.at : r.at+size]}
	r.at += size
	if !encoded {
		return name, true
	}
	if cut := strings.LastIndexByte(name.ascii, '_'); cut >= 0 {
		name.ascii, name.punycode = name.ascii[:cut], name.ascii[cut+1:]
	} else {
		name.ascii, name.punycode = "", name.ascii
	}
	if name.punycode == "" {
		return identifier{}, r.fail()
	}
	return name, true
}

// nibbles reads hexadecimal digits up to _.
func (r *reader) nibbles() (string, bool) {
	for start := r.at; ; {
		b, ok := r.next()
		switch {
		case !ok:
			return "", false
		case b == '_':
			return r.symbol[start : r.at-1], true
		case (b < '0' || b > '9') && (b < 'a' || b > 'f'):
			return "", r.fail()
		}
	}
}

// target reads the position of a back reference whose tag was read: before the tag.
func (r *reader) target() (position, bool) {
	tag := r.at - 1
	at, ok := r.number()
	switch {
	case !ok:
		return position{}, false
	case at >= uint64(tag):
		return position{}, r.fail()
	case r.depth >= maxDepth:
		r.fault = tooDeep
		return position{}, false
	}
	return position{at: int(at), depth: r.depth + 1}, true
}
