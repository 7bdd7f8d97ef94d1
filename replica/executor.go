package replica

import (
	"github.com/canisterd/canisterd/canister"
)

// Executor runs the messages of canisters and knows what their code offers.
// Execute and Install change nothing but their canister, and may be called for
// several canisters at once. Tests put another in place of the canisters
// themselves.
type Executor interface {
	Execute(c *canister.Canister, sub *canister.Subnet, m *canister.Message) canister.Outcome
	Install(c *canister.Canister, sub *canister.Subnet, in *canister.Install) canister.Outcome
	Empty(c *canister.Canister) bool // it has no code
	Wide(c *canister.Canister) bool  // its memory is 64-bit
	Method(c *canister.Canister, name string) canister.MethodKind
	Has(c *canister.Canister, context canister.Context) bool // an entry point
}

// canisters is the executor of real canisters.
type canisters struct{}

func (canisters) Execute(c *canister.Canister, sub *canister.Subnet, m *canister.Message) canister.Outcome {
	return c.Execute(sub, m)
}

func (canisters) Install(c *canister.Canister, sub *canister.Subnet, in *canister.Install) canister.Outcome {
	return c.Install(sub, in)
}

func (canisters) Empty(c *canister.Canister) bool { return c.Module() == nil }

func (canisters) Wide(c *canister.Canister) bool { return c.Module() != nil && c.Module().Wide() }

func (canisters) Method(c *canister.Canister, name string) canister.MethodKind {
	if m := c.Module(); m != nil {
		return m.Method(name)
	}
	return canister.NoMethod
}

func (canisters) Has(c *canister.Canister, context canister.Context) bool {
	return c.Module() != nil && c.Module().Has(context)
}
