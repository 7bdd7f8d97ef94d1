package campaigntest

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
)

// modules is the folder of the modules, relative to a package below the folder explore.
const modules = "../../../examples/doublewithdraw"

// Theft returns an exploration of withdrawals of 100 from an account of 100. The bank is called "bank" and has this
// module. The exploration looks for runs in which the vault pays more than 100.
func Theft(t testing.TB, network replica.Config, module string, withdrawals int) (*real.Stage, *campaign.Config) {
	t.Helper()
	s := Banks(t, network, map[string]string{"bank": module})
	c := NewConfig(t, s, "vault paidOut <= 100")
	for range withdrawals {
		c.Setup.Operations = append(c.Setup.Operations, Operation(s, "bank", "withdraw"))
	}
	return s, c
}

// Banks returns a network with canisters in Motoko: a vault on the last subnet, and banks by name on the first, each
// with its module and a deposit of 100.
func Banks(t testing.TB, network replica.Config, banks map[string]string) *real.Stage {
	t.Helper()
	s := real.NewStage(t, network)
	replied := func(a real.Answer) {
		t.Helper()
		if a.Status != "replied" {
			t.Fatal(a)
		}
	}
	install := func(name, module string, subnet int) {
		t.Helper()
		s.Create(name, subnet, real.Plenty)
		replied(s.Install(name, real.Install, Module(t, module), s.Args("()")))
	}
	install("vault", "vault", max(len(network.Subnets), 1)-1)
	for _, name := range slices.Sorted(maps.Keys(banks)) {
		install(name, banks[name], 0)
		replied(s.Call(name, "open", s.Args(fmt.Sprintf("(%q)", s.ID("vault")))))
		replied(s.Call(name, "deposit", s.Args("(100 : nat)")))
	}
	return s
}

// Module returns a module of examples/doublewithdraw: "vault", or one of the banks "bank" and "careful".
func Module(t testing.TB, name string) []byte {
	t.Helper()
	module, err := os.ReadFile(filepath.Join(modules, name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// NewConfig returns an exploration without operations that looks for runs that violate the invariant.
func NewConfig(t testing.TB, s *real.Stage, invariant string) *campaign.Config {
	t.Helper()
	names := &property.Names{Canister: func(name string) (principal.Principal, bool) {
		id, found := s.Names[name]
		return id, found
	}}
	holds, err := names.ParseInvariant(invariant)
	if err != nil {
		t.Fatal(err)
	}
	c := &campaign.Config{Properties: []property.Property{holds}, Seed: 1}
	c.Setup = harness.Setup{Base: s.Network, Name: func(id principal.Principal) string {
		for name, known := range s.Names {
			if known == id {
				return name
			}
		}
		return ""
	}}
	return c
}

// Operation returns a call of a method of a bank with the argument 100.
func Operation(s *real.Stage, bank, method string) harness.Operation {
	in := s.Ingress(s.ID(bank), s.ID(bank), method, s.Args("(100 : nat)"))
	return harness.Operation{Title: bank + "." + method + "(100)", Message: *in}
}

// Named returns a function that finds the canisters of a configuration by name.
func Named(c *campaign.Config) func(name string) (principal.Principal, bool) {
	return func(name string) (principal.Principal, bool) {
		for _, r := range c.Setup.Base.Introspect().Reports(principal.Principal{}, math.MaxInt) {
			if c.Setup.NameOf(r.ID) == name {
				return r.ID, true
			}
		}
		return principal.Principal{}, false
	}
}
