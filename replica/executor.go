package replica

import (
	"github.com/canisterd/canisterd/canister"
)

// canisters is the override.Executor of real canisters.
type canisters struct{}

func (canisters) Execute(c *canister.Canister, sub *canister.Subnet, m *canister.Message) canister.Outcome {
	return c.Execute(sub, m)
}

func (canisters) ExecuteShort(c *canister.Canister, sub *canister.Subnet, m *canister.Message, out *canister.Outcome) bool {
	return c.ExecuteShort(sub, m, out)
}

func (canisters) Install(c *canister.Canister, sub *canister.Subnet, in *canister.Install) canister.Outcome {
	return c.Install(sub, in)
}

func (canisters) Empty(c *canister.Canister) bool { return c.Module() == nil }

func (canisters) Memory64(c *canister.Canister) bool {
	return c.Module() != nil && c.Module().Memory64()
}

func (canisters) Method(c *canister.Canister, name string) canister.MethodKind {
	if m := c.Module(); m != nil {
		return m.Method(name)
	}
	return canister.NoMethod
}

func (canisters) Has(c *canister.Canister, context canister.Context) bool {
	return c.Module() != nil && c.Module().Has(context)
}
