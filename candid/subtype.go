package candid

import (
	"fmt"
	"math"
	"strconv"

	"github.com/canisterd/canisterd/candid/internal/syntax"
)

type pair struct{ sub, super *Type }

// Subtype reports whether a value of type sub may be used where super is expected (Candid specification, "Subtyping").
// It is also false for types that take more than MaxSubtypePairs comparisons; [CheckSubtype] says so.
func Subtype(sub, super *Type) bool { return CheckSubtype(sub, super) == nil }

// CheckSubtype returns nil if sub is a subtype of super; otherwise the error names the part that is not.
func CheckSubtype(sub, super *Type) error {
	budget := math.MaxInt
	mismatch, enough := compare(sub, super, &budget)
	switch {
	case !enough:
		return fmt.Errorf("comparing %s with %s takes more than %d pairs of their parts", sub.brief(), super.brief(), MaxSubtypePairs)
	case mismatch != nil:
		return mismatch
	}
	return nil
}

// comparison is the state of a comparison. Everything is a subtype of an option, so it never backtracks: the
// relation holds unless some pair reachable from the first one fails directly. So it is a walk over a graph of pairs,
// without recursion.
type comparison struct {
	todo []step
	seen map[pair]struct{}
}

// step is a pair to compare and how it was reached.
type step struct {
	pair
	from  int
	where string
}

// compare returns nil if sub is a subtype of super, and false if it takes more steps than *budget.
func compare(sub, super *Type, budget *int) (mismatch error, enough bool) {
	if sub.resolve() == super.resolve() {
		return nil, true
	}
	c := comparison{seen: make(map[pair]struct{})}
	c.add(sub, super, -1, "")
	for at := 0; at < len(c.todo); at++ {
		if *budget -= costOfPair + c.todo[at].parts(); *budget < 0 || len(c.todo) > MaxSubtypePairs {
			return nil, false
		}
		if reason := c.step(at); reason != "" {
			return c.describe(at, reason), true
		}
	}
	return nil, true
}

func (c *comparison) add(sub, super *Type, from int, where string) {
	p := pair{sub.resolve(), super.resolve()}
	if p.sub == p.super {
		return
	}
	switch p.super.kind {
	case KindReserved, KindFuture, KindOpt:
		return
	}
	if _, done := c.seen[p]; done {
		return
	}
	c.seen[p] = struct{}{}
	c.todo = append(c.todo, step{p, from, where})
}

// parts returns how many parts the comparison of p itself visits.
func (p pair) parts() int {
	n := len(p.sub.fields) + len(p.super.fields) + len(p.sub.methods) + len(p.super.methods)
	if p.sub.fn != nil {
		n += len(p.sub.fn.Args) + len(p.sub.fn.Results)
	}
	if p.super.fn != nil {
		n += len(p.super.fn.Args) + len(p.super.fn.Results)
	}
	return n
}

func (c *comparison) describe(at int, reason string) error {
	path := ""
	for i := at; i >= 0 && len(path) < 512; i = c.todo[i].from {
		if w := c.todo[i].where; w != "" && path != "" {
			path = w + ", " + path
		} else if w != "" {
			path = w
		}
	}
	if path != "" {
		path = "in " + path + ": "
	}
	return fmt.Errorf("%s%s is not a subtype of %s: %s", path, c.todo[at].sub.brief(), c.todo[at].super.brief(), reason)
}

// step compares the outermost constructors of one pair and queues their parts.
func (c *comparison) step(at int) (reason string) {
	sub, super := c.todo[at].sub, c.todo[at].super
	switch {
	case sub.kind == KindEmpty,
		sub.kind == KindNat && super.kind == KindInt,
		sub.kind == KindService && super.kind == KindPrincipal:
		return ""
	case sub.kind != super.kind || sub.kind == KindFuture:
		return "they are different kinds of types"
	}
	switch sub.kind {
	case KindVec:
		c.add(sub.elem, super.elem, at, "the elements of a vec")
	case KindRecord:
		return c.records(sub, super, at)
	case KindVariant:
		return c.variants(sub, super, at)
	case KindFunc:
		return c.funcs(sub.fn, super.fn, at)
	case KindService:
		return c.services(sub, super, at)
	}
	return ""
}

func (c *comparison) records(sub, super *Type, at int) string {
	i := 0
	for _, want := range super.fields {
		for i < len(sub.fields) && sub.fields[i].ID < want.ID {
			i++
		}
		if i < len(sub.fields) && sub.fields[i].ID == want.ID {
			c.add(sub.fields[i].Type, want.Type, at, "field "+want.Label.String())
		} else if !want.Type.optional() {
			return "field " + want.Label.String() + " is missing and neither opt, null nor reserved"
		}
	}
	return ""
}

func (c *comparison) variants(sub, super *Type, at int) string {
	i := 0
	for _, have := range sub.fields {
		for i < len(super.fields) && super.fields[i].ID < have.ID {
			i++
		}
		if i == len(super.fields) || super.fields[i].ID != have.ID {
			return "case " + have.Label.String() + " is not expected"
		}
		c.add(have.Type, super.fields[i].Type, at, "case "+have.Label.String())
	}
	return ""
}

func (c *comparison) funcs(sub, super *Signature, at int) string {
	if sub.Annotation != super.Annotation {
		return "their annotations differ"
	}
	if reason := c.tuples(super.Args, sub.Args, at, "argument "); reason != "" {
		return reason
	}
	return c.tuples(sub.Results, super.Results, at, "result ")
}

// tuples compares sequences like records with the ids 0, 1, ….
func (c *comparison) tuples(sub, super []*Type, at int, what string) string {
	for i, want := range super {
		if i < len(sub) {
			c.add(sub[i], want, at, what+strconv.Itoa(i))
		} else if !want.optional() {
			return what + strconv.Itoa(i) + " is missing and neither opt, null nor reserved"
		}
	}
	return ""
}

func (c *comparison) services(sub, super *Type, at int) string {
	i := 0
	for _, want := range super.methods {
		for i < len(sub.methods) && sub.methods[i].Name < want.Name {
			i++
		}
		if i == len(sub.methods) || sub.methods[i].Name != want.Name {
			return "method " + syntax.Quote(want.Name) + " is missing"
		}
		c.add(sub.methods[i].Type, want.Type, at, "method "+syntax.Quote(want.Name))
	}
	return ""
}
