package canistertest

import (
	"context"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// Start is the time canisters of a Place are created at, and Balance what they have.
const (
	Start   = 1_700_000_000_000_000_000
	Balance = 100_000_000_000_000
)

// Place is where a test runs canisters: an engine and a subnet.
type Place struct {
	Engine *canister.Engine
	Subnet canister.Subnet
	tb     testing.TB
	last   uint64
}

// NewPlace is a place with an application subnet of 13 nodes. It is closed when the test ends.
func NewPlace(tb testing.TB) *Place {
	tb.Helper()
	return &Place{Engine: NewEngine(tb), tb: tb, Subnet: canister.Subnet{
		ID:      principal.SelfAuthenticating([]byte("subnet")),
		RootKey: make([]byte, 133),
		Fees:    cycles.Application(13),
		Limits:  canister.ApplicationLimits(),
		Time:    Start,
	}}
}

// Module prepares a module, which must be valid.
func (p *Place) Module(bytes []byte) *canister.Module {
	p.tb.Helper()
	m, reject := p.Engine.Prepare(context.Background(), bytes)
	if reject != nil {
		p.tb.Fatalf("preparing a module: %s", reject)
	}
	return m
}

// Wat prepares a module written in the text format.
func (p *Place) Wat(text string) *canister.Module {
	p.tb.Helper()
	bytes, err := wat.Assemble(text)
	if err != nil {
		p.tb.Fatal(err)
	}
	return p.Module(bytes)
}

// Empty is a new empty canister with Balance cycles, controlled by Controller. It is closed when
// the test ends.
func (p *Place) Empty() *canister.Canister {
	p.last++
	c := canister.New(principal.Canister(p.last), p.Subnet.Time, canister.DefaultSettings(Controller))
	c.Balance = cycles.Of(Balance)
	p.tb.Cleanup(c.Close)
	return c
}

// Controller controls the canisters of a Place; User does not.
var (
	Controller = principal.SelfAuthenticating([]byte("controller"))
	User       = principal.SelfAuthenticating([]byte("user"))
)

// Canister is a new canister with a module installed.
func (p *Place) Canister(m *canister.Module, arg []byte) *canister.Canister {
	p.tb.Helper()
	c := p.Empty()
	c.Features = m.Needs()
	out := c.Install(&p.Subnet, &canister.Install{Module: m, Arg: arg, Caller: Controller})
	if out.Failure != nil {
		p.tb.Fatalf("installing: %s", out.Failure)
	}
	return c
}

// Scriptable is a new scriptable canister.
func (p *Place) Scriptable() *canister.Canister {
	p.tb.Helper()
	return p.Canister(p.Module(Scriptable()), nil)
}

// Update runs an update method as a message of User.
func (p *Place) Update(c *canister.Canister, method string, arg []byte) canister.Outcome {
	return c.Execute(&p.Subnet, &canister.Message{Context: canister.Update, Method: method, Payload: arg, Caller: User})
}

// Query runs a query method as a query of User.
func (p *Place) Query(c *canister.Canister, method string, arg []byte) canister.Outcome {
	q, reject := c.PrepareQuery()
	if reject != nil {
		return canister.Outcome{Failure: reject}
	}
	defer q.Release()
	return q.Run(&p.Subnet, &canister.Message{Context: canister.Query, Method: method, Payload: arg, Caller: User})
}

// Run runs a program as an update of a scriptable canister.
func (p *Place) Run(c *canister.Canister, program *Program) canister.Outcome {
	return p.Update(c, "run", program.Bytes())
}
