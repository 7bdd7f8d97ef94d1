package campaign

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/argument"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// DrawArguments makes the arguments of the operation at a position drawn, from the types in the Candid interface in the
// module of its canister.
func (c *Config) DrawArguments(position int) error {
	to := &c.Setup.Operations[position].Message
	m, err := c.methodOf(to.Receiver, to.Method)
	if err != nil {
		return err
	}
	c.drawn().Operations[position] = m
	return nil
}

// DrawCalls makes calls of the update methods of a canister part of the cases. Like returns the operation that calls a
// method; its title has ? in place of the arguments.
func (c *Config) DrawCalls(id principal.Principal, like func(method string) harness.Operation) error {
	file, err := c.describedBy(id)
	if err != nil {
		return err
	}
	before := len(c.drawn().Any)
	for _, m := range file.Methods() {
		if m.Annotation&(candid.Query|candid.CompositeQuery) == 0 {
			c.Drawn.Any = append(c.Drawn.Any, DrawnOperation{like(m.Name), argument.Method{Types: typesOf(&m)}})
		}
	}
	if len(c.Drawn.Any) == before {
		return fmt.Errorf("canister %s has no update methods in its Candid interface: no calls can be drawn", c.Setup.NameOf(id))
	}
	return nil
}

// RestrictArguments limits the integers in the drawn arguments of a method, unless within is nil, and adds examples in Candid
// text. The error says that nothing is drawn for this method.
func (c *Config) RestrictArguments(id principal.Principal, method string, within *argument.Range, examples []string) error {
	if within != nil && within.Low.Cmp(within.High) > 0 {
		return fmt.Errorf("the range %s..%s of %s is empty", within.Low, within.High, method)
	}
	values, err := c.exampleValues(id, method, examples)
	if err != nil {
		return err
	}
	restricted := false
	restrict := func(o *harness.Operation, m *argument.Method) {
		if o.Message.Receiver == id && o.Message.Method == method {
			restricted = true
			m.Examples = append(m.Examples, values...)
			if within != nil {
				m.Range = within
			}
		}
	}
	for position, m := range c.drawn().Operations { // the order makes no difference
		restrict(&c.Setup.Operations[position], &m)
		c.Drawn.Operations[position] = m
	}
	for i := range c.Drawn.Any {
		restrict(&c.Drawn.Any[i].Operation, &c.Drawn.Any[i].Method)
	}
	if !restricted {
		return fmt.Errorf("no arguments of %s of canister %s are drawn: write ? in place of the arguments of an operation", method, c.Setup.NameOf(id))
	}
	return nil
}

// exampleValues reads examples of arguments.
func (c *Config) exampleValues(id principal.Principal, method string, examples []string) (all [][]candid.Value, err error) {
	if len(examples) == 0 {
		return nil, nil
	}
	file, err := c.describedBy(id)
	if err != nil {
		return nil, err
	}
	m, _ := file.Method(method)
	for _, text := range examples {
		arg, err := m.EncodeArgs(text)
		if err != nil {
			return nil, fmt.Errorf("invalid example %s of %s: %w", text, method, err)
		}
		values, err := m.DecodeArgs(arg)
		if err != nil {
			return nil, fmt.Errorf("invalid example %s of %s: %w", text, method, err)
		}
		all = append(all, values)
	}
	return all, nil
}

// drawn returns what is drawn, at first nothing.
func (c *Config) drawn() *Drawn {
	if c.Drawn == nil {
		c.Drawn = &Drawn{Operations: make(map[int]argument.Method)}
	}
	return c.Drawn
}

// methodOf returns what the arguments of a method are drawn from.
func (c *Config) methodOf(id principal.Principal, name string) (m argument.Method, err error) {
	file, err := c.describedBy(id)
	if err != nil {
		return m, err
	}
	described, found := file.Method(name)
	if !found {
		return m, fmt.Errorf("canister %s has no method %s in its Candid interface: arguments cannot be drawn", c.Setup.NameOf(id), name)
	}
	return argument.Method{Types: typesOf(&described)}, nil
}

// typesOf returns the types of the arguments of a method.
func typesOf(m *did.Method) (all []*candid.Type) {
	for _, a := range m.Args {
		all = append(all, a.Type)
	}
	return all
}

// describedBy returns the Candid interface in the module of a canister.
func (c *Config) describedBy(id principal.Principal) (*did.File, error) {
	file, found := c.interfaceOf(id)
	if !found {
		return nil, fmt.Errorf("canister %s has no Candid interface in its module (candid:service): give the arguments of its calls", c.Setup.NameOf(id))
	}
	return file, nil
}
