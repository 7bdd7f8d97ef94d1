package wast

import (
	"strings"

	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// result reads a constant, in which NaN patterns and "either" are allowed.
func (r *reader) result() (v Result) {
	switch keyword := r.open(); keyword {
	case "either":
		for r.kind() == wat.Open {
			v.Either = append(v.Either, r.result())
		}
	case "i32.const", "i64.const", "f32.const", "f64.const":
		v.Type = keyword[:3]
		bits, pattern := r.lane(v.Type)
		if v.Low = bits; pattern != Exact {
			v.Patterns = []Pattern{pattern}
		}
	case "v128.const":
		r.vector(&v)
	default:
		if !strings.HasPrefix(keyword, "ref.") {
			r.at--
			r.fail("(%s is no constant", keyword)
		}
		v.Type, v.Ref = "ref", r.reference(keyword[len("ref."):])
	}
	r.close()
	return v
}

func (r *reader) reference(kind string) Ref {
	ref := Ref{Heap: kind, Null: kind == "null"}
	switch {
	case ref.Null:
		ref.Heap = ""
		if r.kind() == wat.Atom || r.kind() == wat.Name {
			ref.Heap = r.word()
			r.at++
		}
	case r.kind() == wat.Atom:
		host, err := wat.Literal("i32", r.word())
		if err != nil {
			r.fail("%v", err)
		}
		r.at++
		ref.Host, ref.Pinned = host, true
	}
	return ref
}

// lane reads one number or NaN pattern.
func (r *reader) lane(typ string) (uint64, Pattern) {
	if typ[0] == 'f' {
		switch {
		case r.keyword("nan:canonical"):
			return 0, CanonicalNaN
		case r.keyword("nan:arithmetic"):
			return 0, ArithmeticNaN
		}
	}
	bits, err := wat.Literal(typ, r.word())
	if err != nil {
		r.fail("%v", err)
	}
	r.at++
	return bits, Exact
}

var shapes = map[string]struct {
	lane         string
	count, width int
}{
	"i8x16": {"i8", 16, 8}, "i16x8": {"i16", 8, 16}, "i32x4": {"i32", 4, 32},
	"i64x2": {"i64", 2, 64}, "f32x4": {"f32", 4, 32}, "f64x2": {"f64", 2, 64},
}

func (r *reader) vector(v *Result) {
	shape, ok := shapes[r.word()]
	if !ok {
		r.fail("%q is no vector shape", r.word())
	}
	r.at++
	v.Type, v.Lane = "v128", shape.width
	patterns, open := make([]Pattern, shape.count), false
	for i := range shape.count {
		bits, pattern := r.lane(shape.lane)
		patterns[i], open = pattern, open || pattern != Exact
		if bit := i * shape.width; bit < 64 {
			v.Low |= bits << bit
		} else {
			v.High |= bits << (bit - 64)
		}
	}
	if open {
		v.Patterns = patterns
	}
}
