package harness_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/search"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
)

// engine is one for all tests, so that each module is compiled once.
var engine = sync.OnceValue(func() *canister.Engine {
	e, err := canister.NewEngine(canister.EngineConfig{})
	if err != nil {
		panic(err)
	}
	return e
})

const plenty = 1_000_000_000_000_000

// theft is a bank of examples/doublewithdraw with an account of 100 and a vault, and k withdrawals of 100.
func theft(t testing.TB, bank string, k int) (*real.Stage, *harness.Setup) {
	t.Helper()
	s := real.NewStage(t, replica.Config{Engine: engine()})
	for _, c := range []struct{ name, file string }{{"vault", "vault"}, {"bank", bank}} {
		module, err := os.ReadFile(filepath.Join("../../examples/doublewithdraw", c.file+".wasm"))
		if err != nil {
			t.Fatal(err)
		}
		s.Create(c.name, 0, plenty)
		if a := s.Install(c.name, real.Install, module, encode(t)); !a.Over() {
			t.Fatal(a)
		}
	}
	s.Call("bank", "open", encode(t, s.ID("vault").String()))
	s.Call("bank", "deposit", encode(t, candid.NatOf(100)))
	setup := &harness.Setup{Base: s.Network, Name: func(id principal.Principal) string {
		for name, known := range s.Names {
			if known == id {
				return name
			}
		}
		return ""
	}}
	for range k {
		in := s.Ingress(s.ID("bank"), s.ID("bank"), "withdraw", encode(t, candid.NatOf(100)))
		setup.Operations = append(setup.Operations, harness.Operation{Title: "bank.withdraw(100)", Message: *in})
	}
	return s, setup
}

func encode(t testing.TB, values ...any) []byte {
	t.Helper()
	arg, err := candid.Marshal(values...)
	if err != nil {
		t.Fatal(err)
	}
	return arg
}

// begin is a run of all operations.
func begin(t testing.TB, setup *harness.Setup, plan harness.Plan) *harness.Run {
	t.Helper()
	l := newHarness(t, setup)
	r := l.Begin(plan)
	t.Cleanup(r.Close)
	return r
}

func newHarness(t testing.TB, setup *harness.Setup) *harness.Harness {
	t.Helper()
	l, err := harness.New(setup, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// paidOut is what the vault of a run has paid.
func paidOut(t testing.TB, s *real.Stage, r *harness.Run) uint64 {
	t.Helper()
	reply, err := r.Query(&harness.Query{Canister: s.ID("vault"), Sender: principal.Anonymous, Method: "paidOut", Arg: encode(t)})
	if err != nil {
		t.Fatal(err)
	}
	var paid uint64
	if err := candid.UnmarshalFit(reply, &paid); err != nil {
		t.Fatal(err)
	}
	return paid
}

// fifo drives a run to its end.
func fifo(t testing.TB, r *harness.Run) {
	t.Helper()
	if !search.Drive(r, search.FIFO, 1000) {
		t.Fatal("the run does not come to rest")
	}
}
