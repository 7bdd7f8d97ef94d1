package campaign_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/explore/campaign"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/property"
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

// theft is the exploration of withdrawals of 100 from an account of 100, at a bank of examples/doublewithdraw.
func theft(t testing.TB, bank string, withdrawals int) *campaign.Config {
	t.Helper()
	return theftOn(t, bank, withdrawals, 1)
}

// theftOn is theft in a network of some subnets; the vault is on the last.
func theftOn(t testing.TB, bank string, withdrawals, subnets int) *campaign.Config {
	t.Helper()
	s := banks(t, subnets, map[string]string{"bank": bank})
	c := safe(t, s, "vault paidOut <= 100")
	for range withdrawals {
		c.Setup.Operations = append(c.Setup.Operations, operation(t, s, "bank", "withdraw"))
	}
	return c
}

// banks are a vault and banks in Motoko, modules of examples/doublewithdraw by name. Each bank has 100 of the user.
func banks(t testing.TB, subnets int, modules map[string]string) *real.Stage {
	t.Helper()
	s := real.NewStage(t, replica.Config{Engine: engine(), Subnets: slices.Repeat([]replica.SubnetConfig{{Nodes: 13}}, subnets)})
	install := func(name, file string, subnet int) {
		s.Create(name, subnet, 1_000_000_000_000_000)
		s.Install(name, real.Install, module(t, file), encode(t))
	}
	install("vault", "vault", subnets-1)
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		install(name, modules[name], 0)
		s.Call(name, "open", encode(t, s.ID("vault").String()))
		s.Call(name, "deposit", encode(t, candid.NatOf(100)))
	}
	return s
}

// module is a module of examples/doublewithdraw.
func module(t testing.TB, name string) []byte {
	t.Helper()
	read, err := os.ReadFile(filepath.Join("../../examples/doublewithdraw", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// safe is a campaign without operations that looks for runs in which the invariant does not hold.
func safe(t testing.TB, s *real.Stage, invariant string) *campaign.Config {
	t.Helper()
	names := &property.Names{Canister: func(name string) (principal.Principal, bool) {
		id, found := s.Names[name]
		return id, found
	}}
	holds, err := names.ParseInvariant(invariant)
	if err != nil {
		t.Fatal(err)
	}
	c := &campaign.Config{Properties: []property.Property{holds}, Seed: 1, Workers: 2, Faults: 1}
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

// operation calls a method of a bank with 100.
func operation(t testing.TB, s *real.Stage, bank, method string) harness.Operation {
	t.Helper()
	in := s.Ingress(s.ID(bank), s.ID(bank), method, encode(t, candid.NatOf(100)))
	return harness.Operation{Title: bank + "." + method + "(100)", Message: *in}
}

func encode(t testing.TB, values ...any) []byte {
	t.Helper()
	arg, err := candid.Marshal(values...)
	if err != nil {
		t.Fatal(err)
	}
	return arg
}

func run(t testing.TB, c *campaign.Config) *campaign.Report {
	t.Helper()
	report, err := campaign.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// told is a report as text.
func told(c *campaign.Config, r *campaign.Report) string {
	var all strings.Builder
	fmt.Fprintf(&all, "%d runs, %d messages, %d classes, exhausted %t %t\n", r.Runs, r.Messages, r.Classes, r.Exhausted, r.ExhaustedFaults)
	for _, f := range r.Findings {
		fmt.Fprintf(&all, "%s, run %d, %s, %d others, suspicion %t\n%s%s", f.Property, f.Run, f.Phase, f.Others, f.Suspicion, f.Explain(&c.Setup), f.Mermaid(&c.Setup))
	}
	for _, a := range r.Awaits {
		fmt.Fprintf(&all, "%s > %s %d %v\n", a.Caller, a.Callee, a.Runs, a.Tried)
	}
	fmt.Fprintln(&all, r.Operations)
	return all.String()
}

func TestADoubleWithdrawalIsFoundAndToldInItsFewestSteps(t *testing.T) {
	c := theft(t, "bank", 3)
	c.Runs = 400 // enough for all classes without faults
	r := run(t, c)
	var found *campaign.Finding
	for _, f := range r.Findings {
		if f.Property == "vault paidOut <= 100" {
			found = f
		}
	}
	if found == nil || found.Run != 1 {
		t.Fatalf("no theft was found in FIFO order:\n%s", told(c, r))
	}
	if len(found.Schedule.Operations) != 2 || len(found.Schedule.Deviations)+len(found.Schedule.Plan) != 0 || len(found.Steps) != 6 {
		t.Errorf("the theft takes %s", found.Explain(&c.Setup))
	}
	if r.Classes != 66 || !r.Exhausted {
		t.Errorf("%d classes, all: %t", r.Classes, r.Exhausted)
	}
}

func TestACarefulBankIsWithoutFindings(t *testing.T) {
	c := theft(t, "careful", 2)
	r := run(t, c)
	for _, f := range r.Violations() {
		t.Errorf("%s: %s", f.Property, f.Explain(&c.Setup))
	}
	if !r.Exhausted || !r.ExhaustedFaults {
		t.Errorf("not all was run:\n%s", told(c, r))
	}
	t.Log(told(c, r))
}

// TestTheReportIsTheSameForAnyNumberOfWorkers also shows that runs which share their beginning are as if each was made by
// itself: a worker for each run of a chunk shares nothing.
func TestTheReportIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	for name, change := range map[string]func(*campaign.Config){
		"phases": func(*campaign.Config) {},
		"two faults": func(c *campaign.Config) {
			c.Faults, c.Runs = 2, 700
			c.Untrusted = func(principal.Principal) bool { return true }
			c.Setup.Operations[0].Retried = true
			c.Setup.Upgrades = map[principal.Principal]harness.NextModule{}
			for _, o := range c.Setup.Operations {
				c.Setup.Upgrades[o.Message.Receiver] = harness.NextModule{Module: module(t, "careful")}
			}
			strategy := search.Mixed()
			c.Only = &strategy
		},
		"guided": func(c *campaign.Config) {
			strategy := search.Default()
			c.Only = &strategy
		},
		"each message": func(c *campaign.Config) {
			c.Properties[0].(*property.Invariant).Each = true
			strategy := search.Random()
			c.Only = &strategy
		},
	} {
		var first string
		for _, workers := range []int{1, 3, 700} {
			c := theft(t, "bank", 3)
			c.Runs = 400
			change(c)
			c.Workers = workers
			if text := told(c, run(t, c)); first == "" {
				first = text
			} else if text != first {
				t.Errorf("%s: with %d workers\n%s\nwith one\n%s", name, workers, text, first)
			}
		}
	}
}

func TestAFindingIsReplayed(t *testing.T) {
	c := theft(t, "bank", 2)
	c.Stop = 1
	f := run(t, c).Violations()[0]
	again, err := campaign.Replay(c, &f.Schedule)
	if err != nil || !again.Violates(f.Property) || again.Stale() {
		t.Errorf("the replay shows %+v, %v", again, err)
	}
	careful := theft(t, "careful", 2)
	again, err = campaign.Replay(careful, &f.Schedule)
	if err != nil || again.Violates(f.Property) || again.Stale() {
		t.Errorf("the replay at the careful bank shows %+v, %v", again, err)
	}
	stale := f.Schedule
	stale.Deviations = []search.Before{{First: "op2/7.reply", Later: "op1"}}
	again, err = campaign.Replay(careful, &stale)
	if err != nil || !again.Stale() {
		t.Errorf("the replay of a message that does not come shows %+v, %v", again, err)
	}
}

func TestNotAllOrdersAreClaimedForCanistersOnSeveralSubnets(t *testing.T) {
	r := run(t, theftOn(t, "bank", 2, 2))
	if len(r.Violations()) != 1 || r.Exhausted || r.ExhaustedFaults {
		t.Errorf("%d violations, exhausted: %t, %t", len(r.Violations()), r.Exhausted, r.ExhaustedFaults)
	}
}

// TestAllOrdersOfTwoAndThreeWithdrawalsAreThoseOfBruteForce enumerates every order of deliveries, without regard to which
// of them commute, and compares their classes, and what they violate, with an exploration.
func TestAllOrdersOfTwoAndThreeWithdrawalsAreThoseOfBruteForce(t *testing.T) {
	for _, c := range []struct {
		bank        string
		withdrawals int
		violated    bool
	}{{"careful", 2, false}, {"careful", 3, false}, {"bank", 2, true}} {
		config := theft(t, c.bank, c.withdrawals)
		config.Faults, config.NoBuiltin = 0, true
		report := run(t, config)
		classes, violated := brute(t, config)
		if !report.Exhausted || report.Classes != len(classes) {
			t.Errorf("%d withdrawals of %s: %d classes were run, want %d (all: %t)", c.withdrawals, c.bank, report.Classes, len(classes), report.Exhausted)
		}
		if found := len(report.Violations()) > 0; found != c.violated || violated != c.violated {
			t.Errorf("%d withdrawals of %s: violated in an exploration: %t, by brute force: %t", c.withdrawals, c.bank, found, violated)
		}
	}
}

// brute is the classes of all orders, each as what its canisters see, and whether one of the orders violates a property.
func brute(t *testing.T, config *campaign.Config) (classes map[string]bool, violated bool) {
	t.Helper()
	l, err := harness.New(&config.Setup, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	classes = map[string]bool{}
	all := search.Classes{Commute: func(_, _ *search.Move) bool { return false }, Visit: func(at search.Tree) bool {
		r := at.(*harness.Run)
		seen := map[string]string{}
		for _, s := range r.Steps() {
			seen[s.Canister.String()] += s.Move + " "
		}
		classes[fmt.Sprint(seen)] = true
		for _, p := range config.Properties {
			violated = violated || len(p.AtRest(r)) > 0
		}
		return true
	}}
	all.Explore(l.Begin(nil), search.Subtree{})
	return classes, violated
}
