package campaign

import (
	"fmt"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/explore/harness"
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
		name, k := c.Setup.NameOf(q.Canister), c.Setup.Base.Canister(q.Canister)
		if k == nil || k.Module() == nil {
			return fmt.Errorf("%s: canister %s has no module", property, name)
		}
		switch k.Module().Method(q.Method) {
		case canister.QueryMethod, canister.CompositeQueryMethod:
		case canister.UpdateMethod:
			return fmt.Errorf("%s: method %s of canister %s is an update method, and not a query", property, q.Method, name)
		default:
			queries := harness.Methods(c.Setup.Base, q.Canister, canister.QueryMethod, canister.CompositeQueryMethod)
			return fmt.Errorf("%s: canister %s has no query %s%s", property, name, q.Method, harness.Instead(q.Method, queries))
		}
	}
	return nil
}

// checkOperations returns an error for an operation whose canister does not have its method. Such an operation would be
// rejected in each run. A canister without a module may get one in a run, and one that may be upgraded another method.
func (c *Config) checkOperations() error {
	for i := range c.Setup.Operations {
		to := &c.Setup.Operations[i].Message
		k := c.Setup.Base.Canister(to.Receiver)
		if _, upgraded := c.Setup.Upgrades[to.Receiver]; upgraded || k == nil || k.Module() == nil {
			continue
		}
		title, name := c.Setup.Operations[i].Title, c.Setup.NameOf(to.Receiver)
		switch k.Module().Method(to.Method) {
		case canister.UpdateMethod, canister.QueryMethod:
		case canister.CompositeQueryMethod:
			return fmt.Errorf("operation %s: method %s of canister %s is a composite query, which users cannot call as an update", title, to.Method, name)
		default:
			return fmt.Errorf("operation %s: canister %s has no method %s%s", title, name, to.Method, harness.Instead(to.Method, harness.Callable(c.Setup.Base, to.Receiver)))
		}
	}
	return nil
}
