package replica_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
)

// bill writes down what every message of a stage costs, and adds up what that is
// in cycles.
type bill struct {
	*actorStage
	names []string
	wide  bool // the canisters have 64-bit memories
	lines strings.Builder
	due   map[principal.Principal]cycles.Amount // for instructions, by canister
}

// newBill makes a stage with a canister of each name, all empty.
func newBill(t *testing.T, wide bool, names ...string) *bill {
	t.Helper()
	return newBillOn(t, nil, wide, names...)
}

// newBillOn is newBill on an engine, nil for the one that all tests share.
func newBillOn(t *testing.T, engine *canister.Engine, wide bool, names ...string) *bill {
	b := &bill{actorStage: motokoStage(t, replica.Config{Engine: engine}), names: names, wide: wide, due: make(map[principal.Principal]cycles.Amount)}
	for _, name := range names {
		b.Create(name, 0, real.Plenty)
	}
	b.Listen(b)
	return b
}

func (b *bill) Event(e *replica.Event) {
	fees := cycles.Application(13)
	if e.Kind == replica.MessageDropped && e.Reject != nil {
		// A caller that is rejected before its message runs has paid for the inspection.
		b.due[e.Canister] = b.due[e.Canister].Add(fees.Execution(0, b.wide))
	}
	if e.Kind != replica.MessageExecuted && e.Kind != replica.CodeInstalled {
		return
	}
	name, what := "?", e.Method
	for known, id := range b.Names {
		if id == e.Canister {
			name = known
		}
	}
	switch {
	case e.Kind == replica.CodeInstalled:
		what = "install_code"
	case e.Source == intercanister.SourceTasks:
		what = e.Task.String()
	case e.Source == intercanister.SourceResponses:
		what = "callback"
	}
	if e.Reject != nil {
		what += " (" + e.Reject.Error.String() + ")"
	}
	wide := b.wide && e.Kind != replica.CodeInstalled // an installation costs the same in both widths
	b.due[e.Canister] = b.due[e.Canister].Add(fees.Execution(e.Instructions, wide))
	fmt.Fprintf(&b.lines, "  %s %s: %d instructions\n", name, what, e.Instructions)
}

// of does something and writes down what that cost every actor. Cycles neither
// appear nor vanish: what an actor has less is what it has paid or given, and what it
// has paid for instructions is the price of those its messages executed.
func (b *bill) of(what string, do func()) {
	b.t.Helper()
	have, paid := b.Balances()
	clear(b.due)
	executed := make(map[string]cycles.Amount)
	before := make(map[string]cycles.Amount)
	for _, name := range b.names {
		c := b.Canister(b.ID(name))
		before[name], executed[name] = c.Balance, c.Consumed.Instructions
	}
	fmt.Fprintf(&b.lines, "%s\n", what)
	do()
	for _, name := range b.names {
		c := b.Canister(b.ID(name))
		if spent := before[name].Sub(c.Balance); !spent.IsZero() {
			fmt.Fprintf(&b.lines, "  %s is poorer by %s cycles\n", name, spent)
		}
		if got, want := c.Consumed.Instructions.Sub(executed[name]), b.due[c.ID]; got != want {
			b.t.Errorf("%s: %s paid %s cycles for instructions worth %s", what, name, got, want)
		}
	}
	nowHave, nowPaid := b.Balances()
	if was, is := have.Add(paid), nowHave.Add(nowPaid); was != is {
		b.t.Errorf("%s: %s cycles in all became %s", what, was, is)
	}
}

var motokoActors = []string{"counter", "ledger", "caller", "clock", "greeter", "relay", "heart"}

func TestEveryMessageOfAMotokoActorCostsWhatItCostBefore(t *testing.T) {
	b := newBill(t, true, motokoActors...)
	b.actors()
	golden.Compare(t, filepath.Join("testdata", "motoko.golden"), b.lines.String())
}

// actors has actors call each other, fail and do what they do by themselves.
func (b *bill) actors() {
	rest, heart := motokoActors[:6], motokoActors[6]
	for _, name := range rest {
		b.of("install "+name, func() { b.install(name, real.Install) })
	}
	for _, call := range [][3]string{
		{"counter", "inc", "()"},
		{"counter", "inc", "()"},
		{"counter", "add", "(1_000_000_000_000_000_000_000_000_000_000 : nat)"},
		{"counter", "get", "()"},
		{"ledger", "record", `(100 : nat, "one")`},
		{"ledger", "record", `(200 : nat, "two")`},
		{"ledger", "entry", "(1 : nat)"},
		{"ledger", "total", "()"},
		{"caller", "bump", `("$counter")`},
		{"caller", "trapAtOnce", "()"},
		{"caller", "trapAfterAwait", `("$counter")`},
		{"caller", "catchReject", `("$caller")`},
		{"caller", "catchReject", `("$counter")`},
		{"relay", "pass", `("$greeter", "world")`},
		{"counter", "add", `("no number")`},
		{"clock", "start", "(1_000_000_000 : nat64)"},
	} {
		b.of(fmt.Sprintf("%s.%s%s", call[0], call[1], call[2]), func() { b.call(call[0], call[1], call[2]) })
	}
	b.of("a second", func() { b.at(b.View().Time + second) })
	b.of("a second", func() { b.at(b.View().Time + second) })
	b.of("clock.stop()", func() { b.call("clock", "stop", "()") })
	for _, name := range rest {
		b.of("upgrade "+name, func() { b.install(name, real.UpgradeKeep) })
	}
	b.of("install heart", func() { b.install(heart, real.Install) })
	for range 3 {
		b.of("a round", func() { b.Round() })
	}
	b.of("stop heart", func() { b.Manage(heart, "stop_canister", b.About(heart, "")) })
	b.of("upgrade heart", func() { b.install(heart, real.UpgradeKeep) })
	fmt.Fprintln(&b.lines, "queries")
	for _, query := range [][2]string{{"counter", "get"}, {"ledger", "size"}, {"ledger", "total"}, {"caller", "seen"}, {"clock", "count"}, {"heart", "count"}} {
		fmt.Fprintf(&b.lines, "  %s.%s: %d instructions\n", query[0], query[1], b.Query(query[0], query[1], b.Args("()")).Instructions)
	}
}
