package explore_test

import (
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/explore"
)

// exploreTill runs two calls of a till, which is a component, and its bank in all orders. What a task of a till that is not
// careful leaves for another one may lie there for ever.
func exploreTill(t *testing.T, careful bool) *explore.Report {
	t.Helper()
	ctx := t.Context()
	binary, err := os.ReadFile("../canister/internal/components/testdata/till.wasm")
	if err != nil {
		t.Fatal(err)
	}
	ic := canisterd.New(t)
	till := ic.DeployModule(binary, canisterd.Named("till"), canisterd.Features("components"))
	bank := ic.DeployModule(binary, canisterd.Named("bank"), canisterd.Features("components"))
	if err := till.Call(ctx, "open", bank.ID(), careful); err != nil {
		t.Fatal(err)
	}
	report, err := explore.Explore(ctx, ic.Network,
		explore.Op(till, "take", uint64(10)), explore.Op(till.As(canisterd.User("Bob")), "take", uint64(20)),
		explore.Invariant("till left <= 0"), explore.Faults(0), explore.KeepGoing(), explore.Budget(300),
	)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestAnExplorationFindsALostWakeUpInAComponent(t *testing.T) {
	report := exploreTill(t, false)
	found := report.Violations()
	if len(found) == 0 {
		t.Fatal("it found nothing")
	}
	if text := report.Explain(found[0]); !strings.Contains(text, "till") || !strings.Contains(text, "deposit") {
		t.Errorf("the explanation is\n%s", text)
	}
}

func TestAnExplorationFindsNothingInACarefulComponent(t *testing.T) {
	report := exploreTill(t, true)
	for _, f := range report.Violations() {
		t.Errorf("it found\n%s", report.Explain(f))
	}
}
