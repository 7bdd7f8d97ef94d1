package verify

import (
	"errors"
	"fmt"
	"strings"
)

// term is a part of the syntax of an expression.
type term struct {
	kind   termKind
	name   string           // of an object or a call; or the content of a text
	items  []*term          // of an array or a call
	fields map[string]*term // of an object
}

type termKind uint8

const (
	termText   termKind = iota // "text"
	termArray                  // [a, b]
	termCall                   // name(a, b)
	termObject                 // Name{field: a}
)

// object returns the fields of an object of a type.
func (t *term) object(name string) (map[string]*term, error) {
	if t == nil || t.kind != termObject || t.name != name {
		return nil, fmt.Errorf("expected %s{...}", name)
	}
	return t.fields, nil
}

// texts returns an array of texts; field names it in errors.
func (t *term) texts(field string) ([]string, error) {
	if t == nil || t.kind != termArray {
		return nil, fmt.Errorf("expected %s: [...]", field)
	}
	texts := make([]string, len(t.items))
	for i, item := range t.items {
		if item.kind != termText {
			return nil, fmt.Errorf("expected texts in %s", field)
		}
		texts[i] = item.name
	}
	return texts, nil
}

// expressionParser reads terms from the front of a text.
type expressionParser struct{ rest string }

// space skips white space and returns the next byte, 0 at the end.
func (p *expressionParser) space() byte {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

// take skips a byte if it is next.
func (p *expressionParser) take(c byte) bool {
	if p.space() != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *expressionParser) value(depth int) (*term, error) {
	if depth > maxExpressionDepth {
		return nil, fmt.Errorf("it nests deeper than %d", maxExpressionDepth)
	}
	switch p.space() {
	case '"':
		text, err := p.text()
		return &term{kind: termText, name: text}, err
	case '[':
		p.take('[')
		items, err := p.list(']', depth)
		return &term{kind: termArray, items: items}, err
	}
	name := p.identifier()
	switch {
	case name == "":
		return nil, fmt.Errorf("expected a value before %.40q", p.rest)
	case p.take('('):
		items, err := p.list(')', depth)
		return &term{kind: termCall, name: name, items: items}, err
	case p.take('{'):
		fields, err := p.fields(depth)
		return &term{kind: termObject, name: name, fields: fields}, err
	}
	return nil, fmt.Errorf("expected ( or { after %q", name)
}

// list reads values up to the closing bracket.
func (p *expressionParser) list(end byte, depth int) (items []*term, err error) {
	for !p.take(end) {
		if len(items) > 0 && !p.take(',') {
			return nil, fmt.Errorf("expected , or %c before %.40q", end, p.rest)
		}
		if len(items) > 0 && p.take(end) {
			break // after a comma
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// fields reads the fields of an object up to its closing brace.
func (p *expressionParser) fields(depth int) (map[string]*term, error) {
	fields := map[string]*term{}
	for !p.take('}') {
		if len(fields) > 0 && !p.take(',') {
			return nil, fmt.Errorf("expected , or } before %.40q", p.rest)
		}
		if len(fields) > 0 && p.take('}') {
			break // after a comma
		}
		p.space()
		name := p.identifier()
		if _, twice := fields[name]; twice || name == "" || !p.take(':') {
			return nil, fmt.Errorf("expected a new field before %.40q", p.rest)
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		fields[name] = value
	}
	return fields, nil
}

func (p *expressionParser) identifier() string {
	end := 0
	for end < len(p.rest) && identifierByte(p.rest[end]) {
		end++
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	return name
}

func identifierByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// text reads a text; \ escapes a quote or itself.
func (p *expressionParser) text() (string, error) {
	var text strings.Builder
	for at := 1; at < len(p.rest); at++ {
		switch c := p.rest[at]; c {
		case '"':
			p.rest = p.rest[at+1:]
			return text.String(), nil
		case '\\':
			if at++; at == len(p.rest) {
				return "", errors.New("a text does not end")
			}
			text.WriteByte(p.rest[at])
		default:
			text.WriteByte(c)
		}
	}
	return "", errors.New("a text does not end")
}
