package introspect

import (
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Difference is one thing in which two networks differ.
type Difference struct {
	Subnet   principal.Principal // empty if it is about the networks as a whole
	Canister principal.Principal // empty if it is about none
	What     string              // a noun: "balance", "setting controllers", "request 0123…"
	A, B     string              // the values of both; empty if there is none
}

// Differences are the first MaxDifferences, and the number of others.
type Differences struct {
	List []Difference
	More int
}

// Diff lists the differences between two networks, in a fixed order: first those of the whole networks, then by subnet,
// then by canister id. It has no visible effects, and reads only memory that the two do not share. Neither network may
// be driven meanwhile. The error comes from the file that holds the memories.
func Diff(a, b *Network) (Differences, error) {
	d := new(differ)
	differing(d, "time", a.Time, b.Time, timeText)
	differing(d, "height", a.Height, b.Height, number)
	differing(d, "round under way", a.Open, b.Open, yes)
	d.items("rule", ruleItems(a.Rules), ruleItems(b.Rules))
	differing(d, "time of the next round", a.NextTime, b.NextTime, timeText)
	d.merge(subnetsOf(a), subnetsOf(b), func(x, y *entry) {
		d.subnet = x.or(y).id
		if x == nil || y == nil {
			d.note("subnet", x.there(), y.there())
			return
		}
		d.subnets(x.subnet, y.subnet)
	})
	d.subnet = principal.Principal{}
	d.merge(canistersOf(a), canistersOf(b), func(x, y *entry) {
		d.subnet, d.canister = x.or(y).subnet.ID, x.or(y).id
		if x == nil || y == nil {
			d.note("canister", x.there(), y.there())
			return
		}
		d.canisters(x, y)
	})
	return d.Differences, d.err
}

// differ collects differences.
type differ struct {
	Differences
	subnet, canister principal.Principal
	err              error
}

func (d *differ) note(what, a, b string) {
	if len(d.List) == MaxDifferences {
		d.More++
		return
	}
	d.List = append(d.List, Difference{d.subnet, d.canister, what, a, b})
}

// differing records a difference, as text.
func differing[T comparable](d *differ, what string, a, b T, show func(T) string) {
	if a != b {
		d.note(what, show(a), show(b))
	}
}

// texts records texts that differ.
func (d *differ) texts(what, a, b string) {
	differing(d, what, a, b, func(t string) string { return t })
}

// entry is a subnet or a canister.
type entry struct {
	id       principal.Principal
	subnet   *Subnet
	canister *state.Entry
}

func (e *entry) or(o *entry) *entry {
	if e != nil {
		return e
	}
	return o
}

func (e *entry) there() string {
	switch {
	case e == nil:
		return ""
	case e.canister == nil:
		return fmt.Sprintf("%s, canisters: %d", e.subnet.Kind, e.subnet.Canisters.Len())
	}
	return e.canister.Canister.Status.String() + ", " + amount(e.canister.Canister.Balance)
}

func subnetsOf(n *Network) []entry {
	all := make([]entry, 0, len(n.Subnets))
	for _, m := range n.Subnets {
		all = append(all, entry{id: m.ID, subnet: m})
	}
	slices.SortFunc(all, func(a, b entry) int { return a.id.Compare(b.id) })
	return all
}

func canistersOf(n *Network) []entry {
	var all []entry
	for _, m := range n.Subnets {
		for r := range m.Canisters.All() {
			all = append(all, entry{r.ID(), m, r})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return a.id.Compare(b.id) })
	return all
}

// merge visits the entries of both ordered lists: those with the same id together.
func (d *differ) merge(as, bs []entry, visit func(a, b *entry)) {
	for len(as) > 0 || len(bs) > 0 {
		var a, b *entry
		switch {
		case len(bs) == 0 || len(as) > 0 && as[0].id.Compare(bs[0].id) < 0:
			a = &as[0]
		case len(as) == 0 || bs[0].id.Compare(as[0].id) < 0:
			b = &bs[0]
		default:
			a, b = &as[0], &bs[0]
		}
		visit(a, b)
		if a != nil {
			as = as[1:]
		}
		if b != nil {
			bs = bs[1:]
		}
	}
}
