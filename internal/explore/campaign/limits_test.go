package campaign_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/test/canistertest"
)

// long explores one operation without faults, which takes two messages for each turn, and one more.
func long(t *testing.T, turns int) *campaign.Config {
	t.Helper()
	c := scripted(t, canistertest.Turns(turns))
	c.Setup.Operations, c.Faults, c.NoBuiltin = c.Setup.Operations[:1], 0, true
	return c
}

// inOrder makes all runs the same.
func inOrder(c *campaign.Config, runs int) {
	strategy := search.InOrder()
	c.Only, c.Runs = &strategy, runs
}

func TestAnExplorationWithoutABudgetMakesTenThousandRuns(t *testing.T) {
	c := scripted(t, `reply "ok"`)
	inOrder(c, 0)
	if r := run(t, c); r.Runs != 10_000 {
		t.Errorf("%d runs are made", r.Runs)
	}
}

func TestARunThatGoesOnForEverDeliversTwoThousandMessages(t *testing.T) {
	t.Parallel()
	for turns, want := range map[int]struct{ messages, unfinished, replied int }{
		900:       {1801, 0, 1},
		1_000_000: {2000, 1, 0},
	} {
		c := long(t, turns)
		inOrder(c, 1)
		r := run(t, c)
		replied := r.Operations[0].Replied
		if r.Messages != want.messages || r.Unfinished != want.unfinished || replied != want.replied {
			t.Errorf("%d turns: %d messages, %d unfinished, %d replied", turns, r.Messages, r.Unfinished, replied)
		}
	}
}

// twoClasses is a pool that runs at most two classes of each subtree.
type twoClasses struct{ *campaign.Worker }

func (p twoClasses) Run(b *campaign.Batch) error {
	for number := range b.Count {
		j := b.Job(number)
		if j.Part != nil {
			j.Most = 2
		}
		if !b.Take(number, p.Do(&j)) {
			break
		}
	}
	return nil
}

func TestAnEnumerationEndsWhereItHasDeliveredAHundredMessagesForEachClass(t *testing.T) {
	t.Parallel()
	for turns, all := range map[int]bool{99: true, 101: false} {
		c := long(t, turns)
		w, err := campaign.NewWorker(c)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		c.Pool = twoClasses{w}
		if r := run(t, c); r.Exhausted != all {
			t.Errorf("all orders of %d messages were run in 200 deliveries: %t", 2*turns+1, r.Exhausted)
		}
	}
}

func TestAllSerialOrdersOfFourOperationsAreTriedAndAnswersOfFiveAreNotComparedWithThem(t *testing.T) {
	for operations, compared := range map[int]bool{4: true, 5: false} {
		c := scripted(t, `if get {trap "paid already"}; call B.run(reply) on-reply(set 1; reply "paid")`)
		c.Setup.Operations = slices.Repeat(c.Setup.Operations[:1], operations)
		inOrder(c, 1)
		r := run(t, c)
		found := slices.ContainsFunc(r.Findings, func(f *campaign.Finding) bool {
			return f.Property == "serializable"
		})
		if found != compared || r.Operations[operations-1].Replied != 1 {
			t.Errorf("%d operations are all paid, and that no serial order does so is found: %t", operations, found)
		}
	}
}

func TestProgressIsShownAfterEachRun(t *testing.T) {
	c := scripted(t, `reply "ok"`)
	inOrder(c, 1+200)
	var shown []int
	c.Progress = func(r *campaign.Report) { shown = append(shown, r.Runs) }
	run(t, c)
	for i, runs := range shown {
		if runs != i+2 {
			t.Fatalf("the runs are shown as %v", shown)
		}
	}
	if len(shown) != 200 {
		t.Errorf("%d runs are shown, want 200", len(shown))
	}
}

func TestTheTimeIsCheckedAfterEach64Runs(t *testing.T) {
	c := scripted(t, `reply "ok"`)
	inOrder(c, 1+200)
	var over atomic.Bool
	c.Expired = over.Load
	c.Progress = func(r *campaign.Report) { over.Store(r.Runs >= 10) }
	if r := run(t, c); r.Runs != 1+64 {
		t.Errorf("the time is over after 10 runs, and there are %d", r.Runs)
	}
}

func TestATwentiethOfTheBudgetIsDrawnBeforeAllOrdersAreRun(t *testing.T) {
	c := theft(t, "careful", 2)
	c.Runs, c.Faults = 1+60, 0
	if r := run(t, c); r.Runs != 1+3+4 || r.Classes != 4 || !r.Exhausted {
		t.Errorf("%d runs have %d classes, all: %t", r.Runs, r.Classes, r.Exhausted)
	}
}

func TestAFindingIsShortenedIn500Replays(t *testing.T) {
	c := scripted(t, `reply "ok"`)
	var replays atomic.Int64
	holds := func(r *harness.Run) error {
		replays.Add(1)
		if len(r.Plan()) < 700 {
			return nil
		}
		return fmt.Errorf("the run has 700 faults")
	}
	c.NoBuiltin, c.Properties = true, []property.Property{&property.Func{Title: "never all faults", Holds: holds}}
	f := &campaign.Finding{Violation: property.Violation{Property: "never all faults"}}
	f.Schedule.Operations = []int{0}
	for i := range 700 { // of messages that do not come; none can be left out
		at := fmt.Sprintf("op1/%d.request", i+1)
		f.Schedule.Plan = append(f.Schedule.Plan, harness.Fault{At: at, Kind: harness.RejectError})
	}
	const continued = 2 // before and after the one message: all continuations are the same run
	if err := campaign.Shorten(c, f); err != nil || replays.Load() != 500+continued || len(f.Schedule.Plan) != 700 {
		t.Errorf("it takes %d replays, and %d faults are left, %v", replays.Load(), len(f.Schedule.Plan), err)
	}
}

func TestASchedulesOperationsAreThoseOfAThousand(t *testing.T) {
	none := func(string) (principal.Principal, bool) { return principal.Principal{}, false }
	for number, valid := range map[int]bool{1000: true, 1001: false} {
		file := &schedule.File{Operations: []schedule.Operation{{Name: fmt.Sprint("op", number)}}}
		_, err := campaign.Operations(file, none)
		if refused := err != nil && strings.Contains(err.Error(), "invalid name of an operation"); refused == valid {
			t.Errorf("op%d: %v", number, err)
		}
	}
}

func TestAnExplorationOfMoreThanAThousandOperationsIsRefused(t *testing.T) {
	c := theft(t, "bank", 1)
	c.Setup.Operations = slices.Repeat(c.Setup.Operations, 1001)
	if _, err := campaign.Run(c); err == nil || err.Error() != "1001 operations: an exploration has at most 1000" {
		t.Errorf("1,001 operations end with %v", err)
	}
}

// ofOne returns a finding of the only operation in FIFO order, without faults.
func ofOne(t *testing.T, c *campaign.Config) *campaign.Finding {
	t.Helper()
	f := &campaign.Finding{Schedule: campaign.Schedule{Operations: []int{0}}}
	again, err := campaign.Replay(c, &f.Schedule)
	if err != nil {
		t.Fatal(err)
	}
	f.Steps = again.Steps
	return f
}

func TestAFindingIsFollowedFor500Messages(t *testing.T) {
	c := long(t, 260)
	lines, more := momentsOf(t, c, ofOne(t, c))
	if len(lines) != 501 || more != 21 {
		t.Errorf("it has %d states and %d more messages", len(lines), more)
	}
}

func TestAStateIsShownByFortyQueries(t *testing.T) {
	c := theft(t, "bank", 1)
	for i := range 50 {
		c.Observe = append(c.Observe, harness.Query{Canister: c.Setup.Operations[0].Message.Receiver, Method: "balance", Arg: fmt.Appendf(nil, "DIDL\x00\x00%d", i)})
	}
	moments, _, err := ofOne(t, c).Moments(c)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(moments[0].Observed); n != 40 {
		t.Errorf("it is shown by %d queries", n)
	}
}

func TestAnArgumentIsShownUpToTwoThousandCharacters(t *testing.T) {
	c := theft(t, "bank", 1)
	text := strings.Repeat("x", 3000)
	arg, err := c.Argument(c.Setup.Operations[0].Message.Receiver, "open", fmt.Sprintf("(%q)", text))
	if err != nil {
		t.Fatal(err)
	}
	c.Setup.Operations[0].Message.Method, c.Setup.Operations[0].Message.Arg = "open", arg
	moments, _, err := ofOne(t, c).Moments(c)
	if err != nil {
		t.Fatal(err)
	}
	if value := []rune(moments[1].Value); len(value) != 2000 || value[1999] != '…' {
		t.Errorf("it is shown with %d characters: %.20s", len(value), string(value))
	}
}
