package stabletypes

import (
	"fmt"
	"slices"
	"strings"
)

// parser reads one signature.
type parser struct {
	scanner
	definitions map[string]*definition
	used        []*typ // named types, which are resolved at the end: a definition may follow its uses
}

// Parse reads a signature as the compiler writes it.
func Parse(text string) (*Signature, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("signature of stable variables: %d bytes, but at most %d are read", len(text), MaxBytes)
	}
	p := &parser{scanner: scanner{text: text}, definitions: map[string]*definition{}}
	s, err := p.signature()
	if err != nil {
		return nil, fmt.Errorf("signature of stable variables: %w", err)
	}
	return s, nil
}

func (p *parser) signature() (*Signature, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	for p.token == "type" {
		if err := p.definition(); err != nil {
			return nil, err
		}
	}
	s := &Signature{}
	if err := p.actor(s); err != nil {
		return nil, err
	}
	if _, err := p.take(";"); err != nil {
		return nil, err
	}
	if p.token != "" {
		return nil, p.expected("the end")
	}
	return s, p.resolve()
}

// definition reads: type Name<A, B> = T;
func (p *parser) definition() error {
	if err := p.need("type"); err != nil {
		return err
	}
	d := &definition{}
	var err error
	if d.name, err = p.name(); err != nil {
		return err
	}
	if p.definitions[d.name] != nil {
		return p.failed("type " + d.name + " is defined twice")
	}
	p.definitions[d.name] = d
	if d.params, err = p.parameters(); err != nil {
		return err
	}
	if err := p.need("="); err != nil {
		return err
	}
	outer := len(p.used)
	if d.body, err = p.typ(); err != nil {
		return err
	}
	p.bind(outer, d.params)
	return p.need(";")
}

// actor reads the variables in one of the three forms.
func (p *parser) actor(s *Signature) error {
	var err error
	if s.chained, err = p.take("{"); err != nil {
		return err
	}
	if s.chained {
		if err := p.list("}", ";", func() error { return p.migration(s) }); err != nil {
			return err
		}
	}
	if err := p.need("actor"); err != nil {
		return err
	}
	migrates, err := p.take("(")
	if err != nil {
		return err
	}
	if migrates {
		if s.before, err = p.variables(); err != nil {
			return err
		}
		if err := p.need(","); err != nil {
			return err
		}
	}
	if s.after, err = p.variables(); err != nil {
		return err
	}
	if !migrates {
		s.before = s.after
		return nil
	}
	return p.need(")")
}

// variables reads: { stable var a : A; in b : B }
func (p *parser) variables() ([]variable, error) {
	if err := p.need("{"); err != nil {
		return nil, err
	}
	var all []variable
	err := p.list("}", ";", func() error {
		v := variable{required: p.token == "in"}
		if p.token == "in" || p.token == "stable" {
			if err := p.next(); err != nil {
				return err
			}
		}
		if _, err := p.take("var"); err != nil {
			return err
		}
		return p.variable(&v, &all)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b variable) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(all); i++ {
		if all[i].name == all[i-1].name {
			return nil, p.failed("variable " + all[i].name + " is declared twice")
		}
	}
	return all, nil
}

// variable reads: a : A
func (p *parser) variable(v *variable, all *[]variable) (err error) {
	if v.name, err = p.name(); err != nil {
		return err
	}
	if err := p.need(":"); err != nil {
		return err
	}
	v.typ, err = p.typ()
	*all = append(*all, *v)
	return err
}

// migration reads: "20260101_first.mo" : {a : A} -> {b : B}
func (p *parser) migration(s *Signature) error {
	if !strings.HasPrefix(p.token, `"`) {
		return p.expected("the name of a migration in quotes")
	}
	m := migration{name: strings.Trim(p.token, `"`)}
	if err := p.next(); err != nil {
		return err
	}
	if err := p.need(":"); err != nil {
		return err
	}
	t, err := p.typ()
	if err != nil {
		return err
	}
	if t.kind != function || t.inputs != 1 || len(t.parts) != 2 || t.parts[0].kind != object || t.parts[1].kind != object {
		return p.failed("migration " + m.name + " is not a function from one record to another")
	}
	m.input, m.output = fieldsOf(t.parts[0]), fieldsOf(t.parts[1])
	s.chain = append(s.chain, m)
	return nil
}

// fieldsOf returns the fields of a record as variables.
func fieldsOf(t *typ) []variable {
	all := make([]variable, len(t.parts))
	for i, label := range t.labels {
		all[i] = variable{name: label, typ: t.parts[i].immutable(), required: true}
	}
	return all
}

// bind makes those of the types that were used since the number outer the parameters of a definition or a function.
func (p *parser) bind(outer int, params []parameter) {
	if len(params) == 0 {
		return
	}
	p.used = append(p.used[:outer], slices.DeleteFunc(slices.Clone(p.used[outer:]), func(t *typ) bool {
		return slices.ContainsFunc(params, func(b parameter) bool { return b.name == t.word })
	})...)
}

// primitive are the types without a definition.
var primitive = []string{
	"Any", "Blob", "Bool", "Char", "Error", "Float", "Int", "Int16", "Int32", "Int64", "Int8", "Nat", "Nat16", "Nat32",
	"Nat64", "Nat8", "None", "Null", "Principal", "Region", "Text",
}

// resolve finds the definitions of the named types.
func (p *parser) resolve() error {
	for _, t := range p.used {
		t.def = p.definitions[t.word]
		switch {
		case t.def != nil && len(t.def.params) != len(t.parts):
			return fmt.Errorf("type %s has %d parameters, but is used with %d", t.word, len(t.def.params), len(t.parts))
		case t.def == nil && (!slices.Contains(primitive, t.word) || len(t.parts) > 0):
			return fmt.Errorf("type %s is not defined", t.word)
		}
	}
	return nil
}
