package stabletypes

import (
	"fmt"
	"strconv"
	"strings"
)

// comparison is the state of a comparison of two signatures.
type comparison struct {
	ids   map[*definition]int // numbers of the definitions of both, for keys
	seen  map[string]bool     // pairs that are assumed to fit, as they are compared already
	path  []string            // parts of the variable, from the outermost
	depth int
	pairs int // compared so far
	fresh int // type parameters of functions that were made equal

	where, why string // of the innermost difference
	found      []Difference
}

// subtype reports whether each value of a type is one of the other without loss of data (the compiler's rel_typ). With
// equal, the types have to be equal, as below var.
func (c *comparison) subtype(sub, super *typ, equal bool) (bool, error) {
	if c.depth++; c.depth > MaxDepth {
		return false, errTooMuch
	}
	defer func() { c.depth-- }()
	sub, super = expand(sub), expand(super)
	if sub == nil || super == nil {
		return false, errTooMuch
	}
	done, err := c.assumed(sub, super, equal)
	if done || err != nil {
		return done, err
	}
	switch {
	case sub.kind == mutable && super.kind == mutable:
		return c.subtype(sub.parts[0], super.parts[0], true)
	case sub.is("Any") && super.is("Any"):
		return true, nil
	case sub.is("None") && !equal && super.kind != mutable:
		return true, nil
	case super.is("Any") && !equal:
		return c.differ(sub.String() + " became Any, so its data would be lost")
	case sub.kind == named && super.kind == named:
		if sub.word == super.word || !equal && sub.word == "Nat" && super.word == "Int" {
			return true, nil
		}
	case sub.is("Null") && super.kind == option && !equal:
		return true, nil
	case sub.kind == super.kind && sub.word == super.word:
		return c.parts(sub, super, equal)
	}
	return c.became(sub, super)
}

// is reports whether a type is the primitive type of a name.
func (t *typ) is(name string) bool { return t.kind == named && t.def == nil && t.word == name }

// expand replaces a defined type by its definition; nil if the definitions lead nowhere.
func expand(t *typ) *typ {
	for range MaxDepth {
		if t.kind != named || t.def == nil {
			return t
		}
		t = t.def.body.substitute(t.def.params, t.parts)
	}
	return nil
}

// assumed reports whether a pair is compared already, and notes it.
func (c *comparison) assumed(sub, super *typ, equal bool) (bool, error) {
	p := printer{most: MaxTypeBytes, name: func(d *definition) string {
		if c.ids[d] == 0 {
			c.ids[d] = len(c.ids) + 1
		}
		return "!" + strconv.Itoa(c.ids[d])
	}}
	p.print(sub)
	p.WriteString(map[bool]string{true: " = ", false: " < "}[equal])
	p.print(super)
	if c.pairs++; p.Len() > MaxTypeBytes || c.pairs > MaxPairs {
		return false, errTooMuch
	}
	key := p.Builder.String()
	done := c.seen[key]
	c.seen[key] = true
	return done, nil
}

// parts compares the parts of two types of the same kind.
func (c *comparison) parts(sub, super *typ, equal bool) (bool, error) {
	switch sub.kind {
	case array:
		if sub.parts[0].kind != super.parts[0].kind && (sub.parts[0].kind == mutable || super.parts[0].kind == mutable) {
			return c.became(sub, super)
		}
		return c.part("an element", sub.parts[0], super.parts[0], equal)
	case object:
		return c.fields(sub, super, equal)
	case variant:
		return c.cases(sub, super, equal)
	case function:
		return c.function(sub, super, equal)
	case option:
		return c.part("the value of an option", sub.parts[0], super.parts[0], equal)
	case weak:
		return c.part("a weak reference", sub.parts[0], super.parts[0], equal)
	case async:
		return c.part("the result of async", sub.parts[0], super.parts[0], equal)
	}
	if len(sub.parts) != len(super.parts) {
		return c.became(sub, super)
	}
	return c.sequence("element", sub.parts, super.parts, equal)
}

// sequence compares types one by one; they are equally many.
func (c *comparison) sequence(what string, sub, super []*typ, equal bool) (bool, error) {
	for i := range sub {
		if fits, err := c.part(fmt.Sprintf("%s %d", what, i+1), sub[i], super[i], equal); !fits {
			return false, err
		}
	}
	return true, nil
}

// part compares a part of two types.
func (c *comparison) part(where string, sub, super *typ, equal bool) (bool, error) {
	c.path = append(c.path, where)
	defer func() { c.path = c.path[:len(c.path)-1] }()
	return c.subtype(sub, super, equal)
}

// fields compares objects. A stable subtype has exactly the same fields: another one would be lost.
func (c *comparison) fields(sub, super *typ, equal bool) (bool, error) {
	for i, j := 0, 0; i < len(sub.labels) || j < len(super.labels); i, j = i+1, j+1 {
		switch order := compareAt(sub.labels, i, super.labels, j); {
		case order < 0:
			return c.differ("field " + sub.labels[i] + " : " + sub.parts[i].immutable().String() + " has no successor, so its data would be lost")
		case order > 0:
			return c.differ("field " + super.labels[j] + " : " + super.parts[j].immutable().String() + " was added, and existing values do not have it")
		}
		a, b := sub.parts[i], super.parts[j]
		if a.kind != b.kind && (a.kind == mutable || b.kind == mutable) {
			c.path = append(c.path, "field "+sub.labels[i])
			defer func() { c.path = c.path[:len(c.path)-1] }()
			return c.became(a, b)
		}
		if fits, err := c.part("field "+sub.labels[i], a, b, equal); !fits {
			return false, err
		}
	}
	return true, nil
}

// cases compares variants. A stable subtype has no case that the other one does not have.
func (c *comparison) cases(sub, super *typ, equal bool) (bool, error) {
	for i, j := 0, 0; i < len(sub.labels) || j < len(super.labels); j++ {
		order := compareAt(sub.labels, i, super.labels, j)
		switch {
		case order < 0:
			return c.differ("case " + sub.labels[i] + " was removed, and existing values may have it")
		case order > 0 && equal:
			return c.differ("case " + super.labels[j] + " was added to a type whose values can be changed in place")
		case order > 0:
			continue
		}
		if fits, err := c.part("case "+sub.labels[i], sub.parts[i], super.parts[j], equal); !fits {
			return false, err
		}
		i++
	}
	return true, nil
}

// compareAt compares the labels at two places. A list that is over comes last.
func compareAt(a []string, i int, b []string, j int) int {
	switch {
	case i == len(a):
		return 1
	case j == len(b):
		return -1
	}
	return strings.Compare(a[i], b[j])
}

// function compares functions: parameters in the opposite direction, results in the same.
func (c *comparison) function(sub, super *typ, equal bool) (bool, error) {
	if sub.inputs != super.inputs || len(sub.parts) != len(super.parts) || len(sub.binds) != len(super.binds) {
		return c.became(sub, super)
	}
	inner, outer := c.sameParameters(sub, super)
	for i := range inner.binds {
		if fits, err := c.bounds(inner.binds[i].bound, outer.binds[i].bound); !fits {
			return false, err
		}
	}
	n := sub.inputs
	if fits, err := c.sequence("parameter", outer.parts[:n], inner.parts[:n], equal); !fits {
		return false, err
	}
	return c.sequence("result", inner.parts[n:], outer.parts[n:], equal)
}

// sameParameters returns two functions with the same names for their type parameters.
func (c *comparison) sameParameters(a, b *typ) (*typ, *typ) {
	names := make([]*typ, len(a.binds))
	for i := range names {
		c.fresh++
		names[i] = &typ{word: "$" + strconv.Itoa(c.fresh)}
	}
	return a.instantiate(names), b.instantiate(names)
}

// instantiate returns a function with types in place of its own type parameters.
func (t *typ) instantiate(args []*typ) *typ {
	made := &typ{kind: function, word: t.word, inputs: t.inputs}
	for _, part := range t.parts {
		made.parts = append(made.parts, part.substitute(t.binds, args))
	}
	for _, b := range t.binds {
		made.binds = append(made.binds, parameter{b.name, b.bound.substitute(t.binds, args)})
	}
	return made
}

// bounds compares the bounds of type parameters, which have to be equal.
func (c *comparison) bounds(a, b *typ) (bool, error) {
	anything := &typ{word: "Any"}
	if a == nil {
		a = anything
	}
	if b == nil {
		b = anything
	}
	return c.part("the bound of a type parameter", a, b, true)
}

// became notes that a type is another one now.
func (c *comparison) became(sub, super *typ) (bool, error) {
	return c.differ(sub.String() + " became " + super.String())
}

// differ notes a difference at the current place.
func (c *comparison) differ(why string) (bool, error) {
	path := make([]string, 0, len(c.path))
	for i := range c.path {
		path = append(path, c.path[len(c.path)-1-i])
	}
	c.where, c.why = strings.Join(path, " of "), why
	return false, nil
}
