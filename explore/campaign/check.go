package campaign

import (
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/explore/harness"
)

// check returns an error for a query that its canister does not have. Otherwise a mistyped name would look like a
// finding, or would go unnoticed.
func (c *Config) check() error {
	for _, p := range c.Properties {
		asks, ok := p.(interface{ Queries() []harness.Query })
		if !ok {
			continue
		}
		if err := c.checkQueries("invariant "+p.Name(), asks.Queries()); err != nil {
			return err
		}
	}
	for i := range c.Sometimes {
		if err := c.checkQueries("sometimes "+c.Sometimes[i].Title, c.Sometimes[i].Condition.Queries()); err != nil {
			return err
		}
	}
	for i := range c.Maximize {
		if err := c.checkQueries("maximize "+c.Maximize[i].Title, []harness.Query{c.Maximize[i].Query}); err != nil {
			return err
		}
	}
	for i := range c.Observe {
		q := &c.Observe[i]
		if err := c.checkQueries("observe "+c.Setup.NameOf(q.Canister)+" "+q.Method, []harness.Query{*q}); err != nil {
			return err
		}
	}
	return nil
}

// checkQueries is check for the queries of one property.
func (c *Config) checkQueries(property string, queries []harness.Query) error {
	for i := range queries {
		q := &queries[i]
		k := c.Setup.Base.Canister(q.Canister)
		if k == nil || k.Module() == nil {
			return fmt.Errorf("%s: canister %s has no module", property, c.Setup.NameOf(q.Canister))
		}
		var names []string
		for _, m := range k.Module().Methods() {
			if (m.Kind == canister.QueryMethod || m.Kind == canister.CompositeQueryMethod) && !strings.HasPrefix(m.Name, "__") {
				names = append(names, m.Name)
			}
		}
		switch slices.Sort(names); {
		case slices.Contains(names, q.Method):
		case len(names) == 0:
			return fmt.Errorf("%s: canister %s has no query %s, and no other", property, c.Setup.NameOf(q.Canister), q.Method)
		default:
			return fmt.Errorf("%s: canister %s has no query %s; it has %s", property, c.Setup.NameOf(q.Canister), q.Method, strings.Join(names, ", "))
		}
	}
	return nil
}
