package stabletypes

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// typ reads a type.
func (p *parser) typ() (*typ, error) {
	if p.depth++; p.depth > MaxDepth {
		return nil, p.failed(fmt.Sprintf("types nest more than %d deep", MaxDepth))
	}
	defer func() { p.depth-- }()
	sort, err := p.sortOfFunction()
	if err != nil {
		return nil, err
	}
	outer := len(p.used)
	binds, err := p.parameters()
	if err != nil {
		return nil, err
	}
	first, err := p.operand()
	if err != nil {
		return nil, err
	}
	isFunction, err := p.take("->")
	if err != nil {
		return nil, err
	}
	if !isFunction {
		if sort != "" || len(binds) > 0 {
			return nil, p.expected(`"->"`)
		}
		return first.single(), nil
	}
	result, err := p.typ()
	if err != nil {
		return nil, err
	}
	p.bind(outer, binds)
	t := &typ{kind: function, word: sort, binds: binds, parts: elements(first)}
	t.inputs = len(t.parts)
	t.parts = append(t.parts, elements(result)...)
	return t, nil
}

// elements returns the elements of a tuple, or the type itself.
func elements(t *typ) []*typ {
	if t.kind == tuple {
		return slices.Clone(t.parts)
	}
	return []*typ{t}
}

// sortOfFunction reads: shared, shared query, shared composite query, or nothing.
func (p *parser) sortOfFunction() (string, error) {
	var words []string
	for _, word := range []string{"shared", "composite", "query"} {
		found, err := p.take(word)
		if err != nil {
			return "", err
		}
		if found {
			words = append(words, word)
		}
	}
	return strings.Join(words, " "), nil
}

// parameters reads: <A, B <: T>, or nothing.
func (p *parser) parameters() ([]parameter, error) {
	var all []parameter
	if found, err := p.take("<"); !found {
		return nil, err
	}
	return all, p.list(">", ",", func() error {
		name, err := p.name()
		if err != nil {
			return err
		}
		b := parameter{name: name}
		bounded, err := p.take("<:")
		if err != nil {
			return err
		}
		if bounded {
			if b.bound, err = p.typ(); err != nil {
				return err
			}
		}
		all = append(all, b)
		return nil
	})
}

// operand reads a type that is no function without parentheses.
func (p *parser) operand() (*typ, error) {
	word := p.token
	switch word {
	case "?":
		return p.prefixed(option, word)
	case "weak":
		return p.prefixed(weak, word)
	case "async":
		return p.prefixed(async, word)
	case "(":
		return p.tuple()
	case "[":
		return p.array()
	case "{":
		return p.braces("")
	case "actor", "module", "object":
		if err := p.next(); err != nil {
			return nil, err
		}
		if word == "object" {
			word = ""
		}
		return p.braces(word)
	}
	return p.named()
}

// prefixed reads a word and the type behind it.
func (p *parser) prefixed(k kind, word string) (*typ, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	if k == async {
		if star, err := p.take("*"); err != nil {
			return nil, err
		} else if star {
			word += "*"
		}
	}
	if p.depth++; p.depth > MaxDepth {
		return nil, p.failed(fmt.Sprintf("types nest more than %d deep", MaxDepth))
	}
	defer func() { p.depth-- }()
	part, err := p.operand()
	if err != nil {
		return nil, err
	}
	return &typ{kind: k, word: word, parts: []*typ{part.single()}}, nil
}

// single returns the element of a tuple of one.
func (t *typ) single() *typ {
	if t.kind == tuple && len(t.parts) == 1 {
		return t.parts[0]
	}
	return t
}

// tuple reads: (A, b : B). The names are documentation. A tuple of one is the list of parameters of a function, or else
// its element.
func (p *parser) tuple() (*typ, error) {
	if err := p.need("("); err != nil {
		return nil, err
	}
	t := &typ{kind: tuple}
	err := p.list(")", ",", func() error {
		part, err := p.typ()
		if err != nil {
			return err
		}
		isName := part.kind == named && len(part.parts) == 0
		if labeled, err := p.take(":"); err != nil {
			return err
		} else if labeled {
			if !isName {
				return p.failed("the label of an element is no name")
			}
			p.used = p.used[:len(p.used)-1] // it is the last one
			if part, err = p.typ(); err != nil {
				return err
			}
		}
		t.parts = append(t.parts, part)
		return nil
	})
	return t, err
}

// array reads: [T] or [var T]
func (p *parser) array() (*typ, error) {
	if err := p.need("["); err != nil {
		return nil, err
	}
	part, err := p.mutable(p.typ)
	if err != nil {
		return nil, err
	}
	return &typ{kind: array, parts: []*typ{part}}, p.need("]")
}

// mutable reads what follows the word var, if it is there, as a mutable type.
func (p *parser) mutable(read func() (*typ, error)) (*typ, error) {
	is, err := p.take("var")
	if err != nil {
		return nil, err
	}
	t, err := read()
	if is && err == nil {
		t = &typ{kind: mutable, parts: []*typ{t}}
	}
	return t, err
}

// immutable returns a type without var.
func (t *typ) immutable() *typ {
	if t.kind == mutable {
		return t.parts[0]
	}
	return t
}

// braces reads an object or a variant.
func (p *parser) braces(sort string) (*typ, error) {
	if err := p.need("{"); err != nil {
		return nil, err
	}
	t := &typ{kind: object, word: sort}
	if strings.HasPrefix(p.token, "#") && sort == "" {
		t.kind = variant
	}
	if t.kind == variant && p.token == "#" { // {#}: no case
		if err := p.next(); err != nil {
			return nil, err
		}
		return t, p.need("}")
	}
	if err := p.list("}", ";", func() error { return p.part(t) }); err != nil {
		return nil, err
	}
	return t, p.sortParts(t)
}

// part reads one field or case.
func (p *parser) part(t *typ) error {
	if t.kind == variant {
		return p.variantCase(t)
	}
	if p.token == "type" {
		return p.failed("an object with a field that is a type has no stable type")
	}
	var label string
	part, err := p.mutable(func() (*typ, error) {
		var err error
		if label, err = p.name(); err != nil {
			return nil, err
		}
		if err := p.need(":"); err != nil {
			return nil, err
		}
		return p.typ()
	})
	if err != nil {
		return err
	}
	t.labels, t.parts = append(t.labels, label), append(t.parts, part)
	return nil
}

// variantCase reads: #a : A, or #a.
func (p *parser) variantCase(t *typ) error {
	label := p.token
	if !strings.HasPrefix(label, "#") || label == "#" {
		return p.expected("the name of a case, such as #ok")
	}
	if err := p.next(); err != nil {
		return err
	}
	part := &typ{kind: tuple}
	typed, err := p.take(":")
	if err != nil {
		return err
	}
	if typed {
		if part, err = p.typ(); err != nil {
			return err
		}
	}
	t.labels, t.parts = append(t.labels, label), append(t.parts, part)
	return nil
}

// sortParts sorts the parts of an object or a variant by their labels, which differ.
func (p *parser) sortParts(t *typ) error {
	sort.Sort((*byLabel)(t))
	for i := 1; i < len(t.labels); i++ {
		if t.labels[i] == t.labels[i-1] {
			return p.failed(t.labels[i] + " occurs twice")
		}
	}
	return nil
}

type byLabel typ

func (b *byLabel) Len() int           { return len(b.labels) }
func (b *byLabel) Less(i, j int) bool { return b.labels[i] < b.labels[j] }
func (b *byLabel) Swap(i, j int) {
	b.labels[i], b.labels[j] = b.labels[j], b.labels[i]
	b.parts[i], b.parts[j] = b.parts[j], b.parts[i]
}

// named reads: Name<A, B>
func (p *parser) named() (*typ, error) {
	name, err := p.name()
	if err != nil {
		return nil, p.expected("a type")
	}
	t := &typ{word: name}
	p.used = append(p.used, t)
	if found, err := p.take("<"); !found {
		return t, err
	}
	return t, p.list(">", ",", func() error {
		arg, err := p.typ()
		t.parts = append(t.parts, arg)
		return err
	})
}
