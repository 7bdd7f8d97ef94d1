package state

import "github.com/canisterd/canisterd/canister"

// Overrides are the parts of a network that a test replaces. Only packages below replica can name them: a daemon or a
// front end cannot set them. A nil part means the default.
type Overrides struct {
	Executor   Executor               // runs messages; nil: the canisters themselves
	Management Management             // nil: the management canister
	Limits     func(*canister.Limits) // changes the limits of executions of each subnet; nil: the replica's
}

// Executor runs the messages of canisters and knows the entry points of their code. Execute and Install change only
// their canister, and may be called for several canisters at once.
type Executor interface {
	Execute(c *canister.Canister, sub *canister.Subnet, m *canister.Message) canister.Outcome
	// ExecuteShort is Execute for a short message, which is never parked. It returns false, and has changed nothing, if the
	// message is not short.
	ExecuteShort(c *canister.Canister, sub *canister.Subnet, m *canister.Message, out *canister.Outcome) (ended bool)
	Install(c *canister.Canister, sub *canister.Subnet, in *canister.Install) canister.Outcome
	Empty(c *canister.Canister) bool    // it has no code
	Memory64(c *canister.Canister) bool // its memory is 64-bit
	Method(c *canister.Canister, name string) canister.MethodKind
	Has(c *canister.Canister, context canister.Context) bool // an entry point
}
