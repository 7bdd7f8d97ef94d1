package campaign_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/campaigntest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// call is an operation of a test: a program for the scriptable canister A or B.
type call struct{ to, program string }

// operations returns an exploration of operations of A and B.
func operations(t *testing.T, all ...call) *campaign.Config {
	t.Helper()
	c := scripted(t, `reply`)
	s := real.NewStage(t, replica.Config{Engine: canistertest.SharedEngine(t)})
	for _, name := range []string{"A", "B"} {
		s.Create(name, 0, real.Plenty)
		s.Install(name, real.Install, canistertest.Variant{}.Module(), nil)
	}
	c.Setup.Base, c.Setup.Operations, c.Untrusted = s.Network, nil, nil
	for _, m := range all {
		program, err := canistertest.Parse(m.program, s.Names)
		if err != nil {
			t.Fatal(err)
		}
		in := s.Ingress(s.ID(m.to), s.ID(m.to), "run", program.Bytes())
		c.Setup.Operations = append(c.Setup.Operations, harness.Operation{Title: m.to + ".run", Message: *in})
	}
	return c
}

// onlyLater are two operations. The second makes a call only in orders where it comes first.
var onlyLater = []call{
	{"A", `set 1; reply "ok"`},
	{"A", `if get {trap "late"}; call B.run(reply "x") on-reply(reply "ok") on-reject(reply "no")`},
}

func TestAFaultOfAMessageThatFIFODoesNotHaveIsTried(t *testing.T) {
	c := operations(t, onlyLater...)
	c.NoBuiltin, c.Kinds = true, []harness.FaultKind{harness.TrapCallback}
	c.Properties = []property.Property{&property.Func{Title: "no trap", Holds: func(r *harness.Run) error {
		for _, s := range r.Steps() {
			if s.Failure != nil {
				return fmt.Errorf("%s", s.Failure)
			}
		}
		return nil
	}}}
	r := run(t, c)
	if len(r.Violations()) != 1 || !r.Exhausted || !r.ExhaustedFaults {
		t.Errorf("the trap is not found:\n%s", campaigntest.Text(c, r))
	}
}

// TestAllOrdersWithEachFaultAreThoseOfBruteForce enumerates all orders of deliveries, commuting or not, under each
// fault that a message of any order can have, and compares the runs with those of an exploration.
func TestAllOrdersWithEachFaultAreThoseOfBruteForce(t *testing.T) {
	t.Parallel()
	for name, all := range map[string][]call{
		"a call in one order": onlyLater,
		"calls under a lock": {
			{"A", `if get {trap "busy"}; set 1; call B.run(reply "x") on-reply(set 0; reply "ok") on-reject(reply "no")`},
			{"A", `if get {trap "busy"}; set 1; call B.run(reply "x") on-reply(set 0; reply "ok") on-reject(reply "no")`},
		},
		"a timer in another canister": {
			{"B", `if get {trap "late"}; reply "early"`},
			{"A", `drop timer(add(time, 1_000_000_000)); on timer {call B.run(set 1; reply)}; reply "ok"`},
		},
		"a timer, and a message that tells the time": {
			{"A", `drop timer(add(time, 1_000_000_000)); on timer {set add(get, 1)}; reply "ok"`},
			{"B", `if get {trap "late"}; set 1; reply time`},
		},
		"a message that tells the time, and a timer": {
			{"B", `if get {trap "late"}; set 1; reply time`},
			{"A", `drop timer(add(time, 1_000_000_000)); on timer {call B.run(set 1; reply)}; reply "ok"`},
		},
		"a message before one that sets a timer": {
			{"A", `if get {trap "late"}; set 1; reply time`},
			{"B", `drop timer(add(time, 1_000_000_000)); on timer {call A.run(set 1; reply)}; reply "ok"`},
		},
		"a message after one that stops a timer": {
			{"A", `drop timer(add(time, 1_000_000_000)); on timer {set 1}; call A.run(drop timer(0); reply); call B.run(reply time) on-reply(reply arg)`},
		},
		"a call with a deadline": {
			{"A", `call B.run(set add(get, 1); reply "x") within 10 on-reply(reply "ok") on-reject(set 1; reply "no")`},
			{"B", `if get {trap "late"}; reply "early"`},
		},
	} {
		c := operations(t, all...)
		c.NoBuiltin, c.Runs, c.Setup.Waits = true, 20_000, 1
		c.Untrusted = scripted(t, `reply`).Untrusted
		c.Setup.Operations[0].Retried = len(all) > 1 // there are 450 classes where one message is sent twice
		next := harness.NextModule{Module: canistertest.Variant{}.Module()}
		c.Setup.Upgrades = map[principal.Principal]harness.NextModule{c.Setup.Operations[0].Message.Receiver: next}
		explored := &seen{all: map[string]bool{}}
		c.Properties = []property.Property{explored.property()}
		r := run(t, c)
		want := bruteFaults(t, c)
		if !r.Exhausted || !r.ExhaustedFaults {
			t.Errorf("%s: not all was run:\n%s", name, campaigntest.Text(c, r))
		}
		for _, one := range missing(want, explored.all) {
			t.Errorf("%s: the exploration has no run %s", name, one)
		}
		for _, one := range missing(explored.all, want) {
			t.Errorf("%s: brute force has no run %s", name, one)
		}
		t.Logf("%s: %d runs", name, len(want))
	}
}

// TestAllStatesBetweenMessagesAreThoseOfBruteForce tests properties that are checked after each message: the
// intermediate states of equivalent orders differ.
func TestAllStatesBetweenMessagesAreThoseOfBruteForce(t *testing.T) {
	for _, withdrawals := range []int{1, 2, 3} {
		c := theft(t, "careful", withdrawals)
		explored := &seen{all: map[string]bool{}}
		c.NoBuiltin, c.Faults, c.Properties = true, 0, []property.Property{explored.between()}
		r := run(t, c)
		l, err := harness.New(&c.Setup, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		want := &seen{all: map[string]bool{}}
		all := search.Classes{
			Commute: func(_, _ *search.Move) bool { return false },
			After:   func(at search.Tree) { want.between().AfterMessage(at.(*harness.Run)) },
		}
		orders := all.Explore(l.Begin(nil), search.Subtree{})
		for _, one := range missing(want.all, explored.all) {
			t.Errorf("%d withdrawals: the exploration has no state %s", withdrawals, one)
		}
		if len(want.all) != len(explored.all) || !r.Exhausted || r.Classes != orders.Classes {
			t.Errorf("%d withdrawals: %d states in %d orders, want %d in %d", withdrawals, len(explored.all), r.Classes, len(want.all), orders.Classes)
		}
	}
}

// missing returns the first elements of a set that the other set does not have.
func missing(in, other map[string]bool) (all []string) {
	for _, one := range slices.Sorted(maps.Keys(in)) {
		if !other[one] && len(all) < 3 {
			all = append(all, one)
		}
	}
	return all
}

// seen collects what runs show.
type seen struct {
	sync.Mutex
	all map[string]bool
}

// property collects the runs that an exploration judges.
func (s *seen) property() property.Property {
	return &property.Func{Title: "is seen", Holds: func(r *harness.Run) error {
		if len(r.Moves()) == 0 && len(r.Unapplied()) == 0 {
			s.Lock()
			s.all[shown(r)] = true
			s.Unlock()
		}
		return nil
	}}
}

// between collects the states after each message of an exploration.
func (s *seen) between() *property.Func {
	return &property.Func{Title: "is seen", When: property.EachMessage, Holds: func(r *harness.Run) error {
		s.Lock()
		s.all[shown(r)] = true
		s.Unlock()
		return nil
	}}
}

// shown returns what the canisters and the users see of a run. It is equal for equivalent orders under the same fault.
func shown(r *harness.Run) string {
	canisters := map[string]string{}
	for _, s := range r.Steps() {
		canisters[s.Canister.String()] += fmt.Sprintf("%s%d %s %v %v; ", s.Move, s.Fault, s.Entry, s.Rejected, s.Failure)
	}
	return fmt.Sprint(r.Plan(), canisters, r.Answers())
}

// bruteFaults returns what all orders show, without faults and with each fault of each of their messages.
func bruteFaults(t *testing.T, c *campaign.Config) map[string]bool {
	t.Helper()
	l, err := harness.New(&c.Setup, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	all, faults := &seen{all: map[string]bool{}}, map[harness.Fault]bool{}
	visit := func(at search.Tree) bool {
		r := at.(*harness.Run)
		if err := all.property().(*property.Func).Holds(r); err != nil || len(r.Plan()) > 0 {
			return err == nil
		}
		for _, f := range campaign.Sites(c, r.Steps()) {
			faults[f] = true
		}
		return true
	}
	never := func(_, _ *search.Move) bool { return false }
	explore := func(plan harness.Plan) {
		(&search.Classes{Commute: never, Visit: visit}).Explore(l.Begin(plan), search.Subtree{})
	}
	explore(nil)
	for f := range faults {
		explore(harness.Plan{f})
	}
	return all.all
}
