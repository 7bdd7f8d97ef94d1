package campaign_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// once returns the report of an exploration of withdrawals that makes one run.
func once(t *testing.T, withdrawals int, strategy search.Strategy) *campaign.Report {
	t.Helper()
	c := theft(t, "careful", withdrawals)
	c.Faults, c.NoBuiltin, c.Runs, c.Only = 0, true, 1, &strategy
	return run(t, c)
}

func TestCoverageCountsWhatEachCanisterExecutedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	one := once(t, 1, search.InOrder()).Coverage
	if want := (campaign.Coverage{Distinct: 1, Edges: 1, Faults: one.Faults}); one != want { // the answer after the withdrawal
		t.Errorf("one withdrawal: %+v, want %+v", one, want)
	}
	two := once(t, 2, search.InOrder()).Coverage
	if two.Distinct != 1 || two.Races == 0 || two.Reversed != 0 || two.Edges < 2 || two.Tried != 0 {
		t.Errorf("two withdrawals in FIFO order: %+v", two)
	}
	c := theft(t, "careful", 2)
	c.Faults = 0
	all := run(t, c).Coverage
	if all.Races <= two.Races || all.Reversed == 0 || all.Reversed > all.Races || all.Edges < two.Edges {
		t.Errorf("two withdrawals in all orders: %+v, and %+v in FIFO order", all, two)
	}
}

func TestEachFaultOfEachMessageIsTriedOnce(t *testing.T) {
	t.Parallel()
	c := theft(t, "careful", 1)
	c.NoBuiltin, c.Kinds = true, []harness.FaultKind{harness.TrapCallback, harness.RejectCanister}
	r := run(t, c)
	// The call of the vault can be rejected, and the callback can trap. All three runs are different.
	if got := r.Coverage; got.Faults != 2 || got.Tried != 2 || got.Distinct != 3 || got.Races != 0 {
		t.Errorf("%+v", got)
	}
}

func TestARunWithoutAnEndIsCountedAndNotAllOrdersWereRun(t *testing.T) {
	t.Parallel()
	c := long(t, 1_000_000)
	c.Runs = 5
	r := run(t, c)
	if r.Exhausted || r.Classes != 0 || r.Unfinished != r.Runs {
		t.Errorf("all orders were run: %t, %d; %d of %d runs did not come to rest", r.Exhausted, r.Classes, r.Unfinished, r.Runs)
	}
	for _, part := range []string{"Not all orders were run", "were ended after 2000 messages, before they came to rest", "A.run: 0 replied, 0 rejected, 0 trapped,"} {
		if !strings.Contains(r.Summary(), part) {
			t.Errorf("the summary does not say %q:\n%s", part, r.Summary())
		}
	}
}
