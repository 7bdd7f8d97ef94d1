package stabletypes

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Difference is a reason why the state of one version does not fit the next.
type Difference struct {
	Variable string // the stable variable; "" for a difference of the whole
	Where    string // the part of it: "field owner of an element"; "" for the variable itself
	Text     string // what became of it: "[Nat] became [var Nat]"
}

func (d Difference) String() string {
	switch {
	case d.Variable == "":
		return d.Text
	case d.Where == "":
		return d.Variable + ": " + d.Text
	}
	return d.Variable + ", " + d.Where + ": " + d.Text
}

// Compare lists why an upgrade from one version to the next does not keep all stable variables, at most one reason for
// each variable. None: the state fits, and the upgrade loses nothing of it. The error is that the comparison takes too
// much work.
func Compare(old, next *Signature) ([]Difference, error) {
	c := &comparison{ids: map[*definition]int{}}
	if next.chained {
		return c.chain(old, next)
	}
	if old.chained {
		return []Difference{{Text: "the previous version has a chain of migrations (moc --enhanced-migration), and the next one has none"}}, nil
	}
	err := c.variables(old.after, next.before)
	return c.found, err
}

// variables compares the variables of a state with those that the next version accepts.
func (c *comparison) variables(state, accepted []variable) error {
	for _, v := range state {
		if want := find(accepted, v.name); want == nil {
			c.add(v.name, "", v.typ.String()+" has no successor, so its data would be lost")
		} else if err := c.variable(v, want.typ); err != nil {
			return err
		}
	}
	for _, want := range accepted {
		if want.required && find(state, want.name) == nil {
			c.add(want.name, "", "the migration function reads "+want.typ.String()+", which the previous version does not have")
		}
	}
	return nil
}

// variable compares one variable with the type that is accepted.
func (c *comparison) variable(v variable, want *typ) error {
	c.path, c.seen = nil, map[string]bool{}
	fits, err := c.subtype(v.typ, want, false)
	if err != nil {
		return fmt.Errorf("stable variable %s: %w", v.name, err)
	}
	if !fits {
		c.add(v.name, c.where, c.why)
	}
	return nil
}

func (c *comparison) add(name, where, text string) {
	c.found = append(c.found, Difference{name, where, text})
}

// chain compares a state with the next version's migrations that did not run yet, and then with its variables.
func (c *comparison) chain(old, next *Signature) ([]Difference, error) {
	state := slices.Clone(old.after)
	for _, m := range next.chain {
		if slices.ContainsFunc(old.chain, func(done migration) bool { return done.name == m.name }) {
			continue
		}
		for _, in := range m.input {
			have := find(state, in.name)
			if have == nil {
				c.add(in.name, "", "migration "+m.name+" reads "+in.typ.String()+", which the state does not have then")
			} else if err := c.variable(*have, in.typ); err != nil {
				return nil, err
			}
		}
		state = m.apply(state)
	}
	if len(c.found) > 0 {
		return c.found, nil
	}
	err := c.variables(state, next.after)
	return c.found, err
}

// apply returns the variables after a migration: its input is replaced by its output.
func (m migration) apply(state []variable) []variable {
	state = slices.DeleteFunc(state, func(v variable) bool { return find(m.input, v.name) != nil || find(m.output, v.name) != nil })
	state = append(state, m.output...)
	slices.SortFunc(state, func(a, b variable) int { return strings.Compare(a.name, b.name) })
	return state
}

var errTooMuch = errors.New("its types take too much work to compare")
