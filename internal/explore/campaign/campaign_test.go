package campaign_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/campaigntest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// theft returns an exploration of withdrawals of 100 from an account of 100, with a bank of examples/doublewithdraw.
func theft(t testing.TB, bank string, withdrawals int) *campaign.Config {
	t.Helper()
	return theftOn(t, bank, withdrawals, 1)
}

// theftOn is theft in a network of some subnets; the vault is on the last.
func theftOn(t testing.TB, bank string, withdrawals, subnets int) *campaign.Config {
	t.Helper()
	network := replica.Config{Engine: canistertest.SharedEngine(t)}
	network.Subnets = slices.Repeat([]replica.SubnetConfig{{Nodes: 13}}, subnets)
	_, c := campaigntest.Theft(t, network, bank, withdrawals)
	c.Workers, c.Faults = 2, 1
	return c
}

func run(t testing.TB, c *campaign.Config) *campaign.Report {
	t.Helper()
	report, err := campaign.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestADoubleWithdrawalIsFoundAndToldInItsFewestSteps(t *testing.T) {
	t.Parallel()
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
		t.Fatalf("no theft was found in FIFO order:\n%s", campaigntest.Text(c, r))
	}
	if len(found.Schedule.Operations) != 2 || len(found.Schedule.Deviations)+len(found.Schedule.Plan) != 0 || len(found.Steps) != 6 {
		t.Errorf("the theft takes %s", found.Explain(&c.Setup))
	}
	if r.Classes != 66 || !r.Exhausted {
		t.Errorf("%d classes, all: %t", r.Classes, r.Exhausted)
	}
}

func TestAnInvariantAddsUpQueriesAndComparesThemWithTheStateBefore(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"vault paidOut * 2 + old(vault paidOut) <= 200": "the left side is 200 * 2 + 0 = 400, the right side 200 : int",
		"old(vault paidOut) == vault paidOut - 100":     "the left side is 0 : nat, the right side 200 - 100 = 100",
		"vault paidOut + bank balance == true":          "100 + 0 is a number, and true is not",
		"vault paidOut <= old(vault paidOut) + 200":     "",
	} {
		s, c := campaigntest.Theft(t, replica.Config{Engine: canistertest.SharedEngine(t)}, "bank", 2)
		c.Properties, c.NoBuiltin, c.Runs, c.Workers = campaigntest.NewConfig(t, s, line).Properties, true, 1, 2
		found := ""
		for _, f := range run(t, c).Findings {
			found += f.Text
		}
		if want != "" {
			want = line + " does not hold: " + want
		}
		if found != want {
			t.Errorf("%q, want %q", found, want)
		}
	}
}

func TestWhatIsFoundAboutOneRunIsOneEntry(t *testing.T) {
	t.Parallel()
	c := theft(t, "bank", 2)
	c.Maximize = []property.Maximize{{Title: "vault paidOut", Query: c.Properties[0].(*property.Invariant).Queries()[0]}}
	r := run(t, c)
	if len(r.Findings) != 1 || len(r.Findings[0].Also) != 1 || r.Largest[0].Found != nil || r.Largest[0].In != "vault paidOut <= 100" {
		t.Errorf("the entries are\n%s%+v", campaigntest.Text(c, r), r.Largest)
	}
	text := r.Findings[0].Explain(&c.Setup)
	for _, part := range []string{
		"The same run is suspicious: the answers and the observed state are not those of any serial order of the operations.",
		"op2 at bank: withdraw, calls vault.transfer (op2/1)  <- point of no return: all 32 random continuations fail",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the finding does not have %q:\n%s", part, text)
		}
	}
}

func TestAReportSaysThatMostRunsWereTheSame(t *testing.T) {
	t.Parallel()
	for runs, says := range map[int]bool{4*50 - 1: false, 4 * 50: true} { // there are four classes of orders
		c, drawn := theft(t, "careful", 2), search.Random()
		c.Faults, c.Runs, c.NoBuiltin, c.Only = 0, runs, true, &drawn
		if r := run(t, c); strings.Contains(r.Conclusion(), "runs are different: more runs") != says {
			t.Errorf("after %d runs: %s", r.Runs, r.Conclusion())
		}
	}
}

func TestACarefulBankIsWithoutFindings(t *testing.T) {
	t.Parallel()
	c := theft(t, "careful", 2)
	r := run(t, c)
	for _, f := range r.Violations() {
		t.Errorf("%s: %s", f.Property, f.Explain(&c.Setup))
	}
	if !r.Exhausted || !r.ExhaustedFaults {
		t.Errorf("not all was run:\n%s", campaigntest.Text(c, r))
	}
	t.Log(campaigntest.Text(c, r))
}

// TestTheReportIsTheSameForAnyNumberOfWorkers also shows that sharing the first messages of runs changes nothing: with
// a worker for each run of a chunk, nothing is shared.
func TestTheReportIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*campaign.Config){
		"phases": func(*campaign.Config) {},
		"two faults": func(c *campaign.Config) {
			c.Faults, c.Runs = 2, 700
			c.Untrusted = func(principal.Principal) bool { return true }
			c.Setup.Operations[0].Retried = true
			c.Setup.Upgrades = map[principal.Principal]harness.NextModule{}
			for _, o := range c.Setup.Operations {
				c.Setup.Upgrades[o.Message.Receiver] = harness.NextModule{Module: campaigntest.Module(t, "careful")}
			}
			strategy := search.Mixed()
			c.Only = &strategy
		},
		"guided": func(c *campaign.Config) {
			strategy := search.Default()
			c.Only = &strategy
		},
		"each message": func(c *campaign.Config) {
			c.Properties[0].(*property.Invariant).When = property.EachMessage
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
			if text := campaigntest.Text(c, run(t, c)); first == "" {
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

// TestAllOrdersOfTwoAndThreeWithdrawalsAreThoseOfBruteForce enumerates all orders of deliveries, commuting or not, and
// compares their classes and violations with those of an exploration.
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
		if report.Coverage.Distinct != len(classes) {
			t.Errorf("%d withdrawals of %s: %d different runs are counted, want %d", c.withdrawals, c.bank, report.Coverage.Distinct, len(classes))
		}
		if found := len(report.Violations()) > 0; found != c.violated || violated != c.violated {
			t.Errorf("%d withdrawals of %s: violated in an exploration: %t, by brute force: %t", c.withdrawals, c.bank, found, violated)
		}
	}
}

// brute returns the classes of all orders, each as what its canisters see, and whether any order violates a property.
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
