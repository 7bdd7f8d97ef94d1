package project

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/candid/reference"
)

// needs are the canisters that are installed before one: for each kind of reason those that it names.
type needs struct {
	after       []string // in after
	arguments   []string // in its arguments
	environment []string // in its environment
}

func (p *Project) needsOf(name string) needs {
	spec := p.Canisters[name]
	n := needs{after: spec.After}
	named := func(text string) (all []string) {
		for _, found := range reference.Names(text) {
			if p.Canisters[found] != nil && found != name { // an identity needs no installation
				all = append(all, found)
			}
		}
		return all
	}
	n.arguments = append(named(spec.Init), named(string(spec.InitJSON))...)
	for _, variable := range slices.Sorted(maps.Keys(spec.Environment)) {
		n.environment = append(n.environment, named(spec.Environment[variable])...)
	}
	return n
}

// Order is the order in which canisters are installed: each after those it names, else by name. Only after has to be
// kept: ids are known before anything is installed, so that canisters may name each other in a circle, where the weaker
// reason gives way.
func (p *Project) Order() ([]string, error) {
	all := slices.Sorted(maps.Keys(p.Canisters))
	before := map[string][]string{}
	for _, kind := range []func(needs) []string{
		func(n needs) []string { return n.after }, func(n needs) []string { return n.arguments }, func(n needs) []string { return n.environment },
	} {
		for _, name := range all {
			for _, other := range kind(p.needsOf(name)) {
				circle := path(before, other, name)
				if circle == nil {
					before[name] = append(before[name], other)
				} else if slices.Contains(p.Canisters[name].After, other) {
					return nil, fmt.Errorf("the canisters depend on each other in a cycle: %s", strings.Join(round(circle), " after "))
				}
			}
		}
	}
	var order []string
	for _, name := range all {
		order = appendAfter(order, before, name)
	}
	return order, nil
}

// round is a circle from its first name on, back to that.
func round(circle []string) []string {
	first := slices.Index(circle, slices.Min(circle))
	turned := slices.Concat(circle[first:], circle[:first])
	return append(turned, turned[0])
}

// path leads from one canister to another over the needs of each; nil if there is none.
func path(before map[string][]string, from, to string) []string {
	if from == to {
		return []string{to}
	}
	for _, next := range before[from] {
		if rest := path(before, next, to); rest != nil {
			return append([]string{from}, rest...)
		}
	}
	return nil
}

// appendAfter adds a canister after those it needs, unless it is there.
func appendAfter(order []string, before map[string][]string, name string) []string {
	if slices.Contains(order, name) {
		return order
	}
	needed := slices.Clone(before[name])
	slices.Sort(needed)
	for _, other := range needed {
		order = appendAfter(order, before, other)
	}
	return append(order, name)
}
