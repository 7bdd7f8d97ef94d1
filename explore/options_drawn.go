package explore

import (
	"fmt"
	"math/big"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/argument"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
)

// Drawn is an operation whose arguments are drawn from their Candid types: small numbers, limits of the types, numbers and
// texts that queries of the canisters return, and values that were drawn before. A finding has the simplest arguments that
// still show it.
func Drawn(c *canisterd.Canister, method string) Option {
	return drawn(c, method, nil)
}

// Generator makes values of one type, such as the generators of pgregory.net/rapid. Equal seeds must make equal values.
type Generator[V any] interface {
	Example(seed ...int) V
}

// DrawnFrom is an operation whose only argument is made by a generator. A finding has the argument with the shortest Candid
// text among some of the generator that still shows it.
func DrawnFrom[V any](c *canisterd.Canister, method string, from Generator[V]) Option {
	return func(to *config) error {
		return drawn(c, method, func(seed int) ([]candid.Value, error) {
			arg, err := c.Encode(to.ctx, method, from.Example(seed))
			if err != nil {
				return nil, err
			}
			values, _, err := candid.Decode(arg)
			return values, err
		})(to)
	}
}

// drawn is an operation whose arguments are drawn from their types, or are generated.
func drawn(c *canisterd.Canister, method string, generate func(seed int) ([]candid.Value, error)) Option {
	return func(to *config) error {
		position := len(to.Setup.Operations)
		to.Setup.Operations = append(to.Setup.Operations, drawnOperation(c, method))
		to.addPrincipals(c)
		to.drawn = append(to.drawn, func() error {
			if err := to.DrawArguments(position); err != nil {
				return err
			}
			m := to.Config.Drawn.Operations[position]
			m.Generate = generate
			to.Config.Drawn.Operations[position] = m
			return nil
		})
		return nil
	}
}

// Any makes calls of the update methods of a canister part of the exploration, with drawn arguments: up to eight one after
// the other before the operations, and up to two with them. Calls that get no reply before the operations have no effect.
func Any(c *canisterd.Canister) Option {
	return func(to *config) error {
		to.addPrincipals(c)
		to.drawn = append(to.drawn, func() error {
			return to.DrawCalls(c.ID(), func(method string) harness.Operation { return drawnOperation(c, method) })
		})
		return nil
	}
}

// Fresh makes all drawn calls begin in the present state. By default, a quarter of the cases begin with calls of [Any] that led
// to something new in an earlier case.
func Fresh() Option {
	return func(to *config) error { to.fresh = true; return nil }
}

// Between limits the integers in the drawn arguments of a method.
func Between(c *canisterd.Canister, method string, low, high int64) Option {
	return restrict(c, method, &argument.Range{Low: big.NewInt(low), High: big.NewInt(high)}, nil)
}

// Examples are arguments of a method in Candid text, which are drawn in a quarter of the cases.
func Examples(c *canisterd.Canister, method string, examples ...string) Option {
	return restrict(c, method, nil, examples)
}

func restrict(c *canisterd.Canister, method string, within *argument.Range, examples []string) Option {
	return func(to *config) error {
		to.restricted = append(to.restricted, func() error { return to.RestrictArguments(c.ID(), method, within, examples) })
		return nil
	}
}

// drawnOperation returns a call whose arguments are drawn.
func drawnOperation(c *canisterd.Canister, method string) harness.Operation {
	in := replica.Ingress{Sender: c.Caller(), Receiver: c.ID(), Effective: c.ID(), Method: method, Size: replica.EnvelopeBytes + len(method)}
	return harness.Operation{Title: fmt.Sprintf("%s.%s?", c, method), Message: in}
}

// addPrincipals makes the caller and the id of a canister principals of drawn arguments.
func (c *config) addPrincipals(of *canisterd.Canister) {
	for _, id := range []principal.Principal{of.Caller(), of.ID()} {
		if !c.principals[id] {
			c.principals[id] = true
			c.drawnPrincipals = append(c.drawnPrincipals, id)
		}
	}
}

// applyDrawn applies the options about drawn arguments, once the base is known.
func (c *config) applyDrawn() error {
	for _, options := range [][]func() error{c.drawn, c.restricted} {
		for _, apply := range options {
			if err := apply(); err != nil {
				return err
			}
		}
	}
	if c.Config.Drawn != nil {
		c.Config.Drawn.Principals, c.Config.Drawn.Fresh = c.drawnPrincipals, c.fresh
	}
	return nil
}
