package campaign_test

import (
	"errors"
	"math/big"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/explore/argument"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	"github.com/canisterd/canisterd/test/campaigntest"
)

// drawnTheft is theft with drawn amounts.
func drawnTheft(t *testing.T, bank string, runs int) *campaign.Config {
	t.Helper()
	c := theft(t, bank, 2)
	c.Runs, c.Stop = runs, 1
	for i := range c.Setup.Operations {
		c.Setup.Operations[i].Title = "bank withdraw ?"
		if err := c.DrawArguments(i); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestDrawnArgumentsAreMadeAsSimpleAsTheFindingAllows(t *testing.T) {
	t.Parallel()
	c := drawnTheft(t, "bank", 2_000)
	r := run(t, c)
	found := r.Violations()
	if len(found) == 0 {
		t.Fatalf("nothing was found: %s", r.Conclusion())
	}
	f := found[0]
	file := f.File(c)
	if len(file.Operations) != 2 {
		t.Fatalf("the operations are %+v", file.Operations)
	}
	sum := new(big.Int)
	for _, o := range file.Operations {
		values, err := candid.ParseArgs(o.Argument)
		if err != nil {
			t.Fatal(err)
		}
		sum.Add(sum, values[0].(candid.Nat).Big())
	}
	if sum.Cmp(big.NewInt(101)) != 0 {
		t.Errorf("the amounts are %s and %s: one less must be paid", file.Operations[0].Argument, file.Operations[1].Argument)
	}
	if text := f.Explain(&c.Setup); !strings.Contains(text, "op1: bank withdraw ("+strings.Trim(file.Operations[0].Argument, "()")+")") {
		t.Errorf("the finding does not have its arguments %s:\n%s", file.Operations[0].Argument, text)
	}
	again := theft(t, "bank", 0)
	var err error
	if again.Setup.Operations, err = campaign.Operations(file, campaigntest.Named(again)); err != nil {
		t.Fatal(err)
	}
	if f := replayed(t, file, again); f.Outcome != campaign.StillFails {
		t.Errorf("the replay is %s: %s", f.Outcome, f.Text)
	}
	for _, o := range r.Operations {
		if o.Title != "bank withdraw ?" || o.Replied == 0 {
			t.Errorf("the operations are counted as %+v", r.Operations)
		}
	}
}

func TestDrawnArgumentsDoNotDependOnTheNumberOfWorkers(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, workers := range []int{1, 3} {
		c := drawnTheft(t, "careful", 300)
		c.Workers = workers
		texts = append(texts, campaigntest.Text(c, run(t, c)))
	}
	if texts[0] != texts[1] {
		t.Errorf("with one worker\n%s\nwith three\n%s", texts[0], texts[1])
	}
	if !strings.HasPrefix(texts[0], "300 runs") || !strings.Contains(texts[0], "exhausted false false") {
		t.Errorf("the report is\n%s", texts[0])
	}
}

// drawnCalls is an exploration of drawn calls of the bank, with small deposits.
func drawnCalls(t *testing.T) *campaign.Config {
	t.Helper()
	c := anyTheft(t, 3_000)
	c.Stop = 1
	bank := c.Drawn.Any[0].Operation.Message.Receiver
	if err := c.RestrictArguments(bank, "deposit", &argument.Range{Low: big.NewInt(0), High: big.NewInt(50)}, []string{"(7)"}); err != nil {
		t.Fatal(err)
	}
	return c
}

// replayedFrom replays a file in a network in which no call of it was made.
func replayedFrom(t *testing.T, file *schedule.File) *campaign.Finding {
	t.Helper()
	c := theft(t, "bank", 0)
	var err error
	if c.Before, err = campaign.Before(file, campaigntest.Named(c)); err != nil {
		t.Fatal(err)
	}
	base, done, err := harness.Prepare(c.Setup.Base, 0, c.Before)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	c.Setup.Base = base
	return replayed(t, file, c)
}

func TestCallsAreDrawnBeforeTheOperationsAndWithThem(t *testing.T) {
	t.Parallel()
	for _, given := range []int{0, 3} { // calls that are made before those that are drawn
		c := drawnCalls(t)
		nothing := harness.Operation{Title: "bank deposit 0", Message: c.Drawn.Any[0].Operation.Message}
		nothing.Message.Method, nothing.Message.Arg = "deposit", []byte("DIDL\x00\x01\x7d\x00")
		for range given {
			c.Before = append(c.Before, nothing)
		}
		base, done, err := harness.Prepare(c.Setup.Base, 0, c.Before)
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		c.Setup.Base = base
		r := run(t, c)
		if len(r.Violations()) == 0 {
			t.Fatalf("nothing was found: %s", campaigntest.Text(c, r))
		}
		file := r.Violations()[0].File(c)
		if f := replayedFrom(t, file); f.Outcome != campaign.StillFails || len(file.Before) <= given {
			t.Errorf("the replay after %d calls, %d of them given, is %s: %s", len(file.Before), given, f.Outcome, f.Text)
		}
	}
}

func TestAFindingIsThatOfItsCaseWhereverItsTimeIsOver(t *testing.T) {
	t.Parallel()
	simpler := map[string]bool{}
	for left := int64(1); left <= 1<<10; left *= 2 { // questions after the first violation
		c := drawnCalls(t)
		theft, asked := c.Properties[0], new(atomic.Int64)
		asked.Store(-1)
		c.Properties = []property.Property{&property.Func{Title: "no theft", Holds: func(r *harness.Run) error {
			if found := theft.AtRest(r); len(found) > 0 {
				asked.CompareAndSwap(-1, 0)
				return errors.New(found[0].Text)
			}
			return nil
		}}}
		c.Workers, c.NoBuiltin = 1, true
		c.Expired = func() bool { return asked.Load() >= 0 && asked.Add(1) > left }
		for _, f := range run(t, c).Violations() {
			if f.Property == campaign.NeverReplies {
				continue // the time was over before another run ended
			}
			file := f.File(c)
			simpler[f.Text] = true
			file.Property = "vault paidOut <= 100"
			if again := replayedFrom(t, file); again.Outcome != campaign.StillFails || !strings.HasSuffix(f.Text, again.Text) {
				t.Errorf("%d questions later, the finding says %q, and its replay is %s: %s", left, f.Text, again.Outcome, again.Text)
			}
		}
	}
	if len(simpler) < 2 {
		t.Errorf("the time was never over while a case was simplified: the findings are %v", simpler)
	}
}

func TestWhatCannotBeDrawnIsAnErrorThatSaysWhy(t *testing.T) {
	t.Parallel()
	c := drawnTheft(t, "bank", 10)
	id := c.Setup.Operations[0].Message.Receiver
	within := func(low, high int64) *argument.Range {
		return &argument.Range{Low: big.NewInt(low), High: big.NewInt(high)}
	}
	c.Setup.Operations[1].Message.Method = "withdarw"
	impossible := drawnTheft(t, "bank", 10)
	_, drawing := campaign.Run(impossible)
	if drawing != nil {
		t.Fatal(drawing)
	}
	impossible.Drawn.Operations[0] = argument.Method{Generate: func(int) ([]candid.Value, error) { return nil, errors.New("no value") }}
	_, drawing = campaign.Run(impossible)
	for want, err := range map[string]error{
		"canister bank has no method withdarw in its Candid interface": c.DrawArguments(1),
		"no arguments of deposit of canister bank are drawn":           c.RestrictArguments(id, "deposit", within(1, 2), nil),
		"the range 2..1 of withdraw is empty":                          c.RestrictArguments(id, "withdraw", within(2, 1), nil),
		"invalid example (true) of withdraw":                           c.RestrictArguments(id, "withdraw", nil, []string{"(true)"}),
		"drawing arguments of bank withdraw ?: no value":               drawing,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	scripted := scripted(t, `reply "ok"`)
	if err := scripted.DrawArguments(0); err == nil || !strings.Contains(err.Error(), "has no Candid interface in its module") {
		t.Errorf("a canister without an interface: %v", err)
	}
}
