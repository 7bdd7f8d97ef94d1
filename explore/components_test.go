package explore_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/explore"
)

// openTill installs a till, which is a component, and its bank. What a task of a till that is not careful leaves for another one
// may lie there for ever.
func openTill(t *testing.T, careful bool) (ic *canisterd.IC, till, bank *canisterd.Canister) {
	t.Helper()
	component := readTill(t)
	ic = canisterd.New(t)
	till = ic.DeployModule(component, canisterd.Named("till"), canisterd.Features("components"))
	bank = ic.DeployModule(component, canisterd.Named("bank"), canisterd.Features("components"))
	if err := till.Call(t.Context(), "open", bank.ID(), careful); err != nil {
		t.Fatal(err)
	}
	return ic, till, bank
}

func readTill(t *testing.T) []byte {
	t.Helper()
	component, err := os.ReadFile("../canister/internal/components/testdata/till.wasm")
	if err != nil {
		t.Fatal(err)
	}
	return component
}

// exploreTill runs two calls of a till in all orders.
func exploreTill(t *testing.T, careful bool) *explore.Report {
	t.Helper()
	ctx := t.Context()
	ic, till, _ := openTill(t, careful)
	report, err := explore.Explore(ctx, ic.Network,
		explore.Op(till, "take", uint64(10)), explore.Op(till.As(canisterd.User("Bob")), "take", uint64(20)),
		explore.Invariant("till left <= 0"), explore.Faults(0), explore.KeepGoing(), explore.Budget(300),
	)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// explorePipes runs two payments to a worker, which is a task that reads them from a stream, in all orders. A worker that is not
// careful never learns of a payment that comes while it does not read.
func explorePipes(t *testing.T, careful bool) *explore.Report {
	t.Helper()
	ctx := t.Context()
	binary, err := os.ReadFile("../canister/internal/components/testdata/pipes.wasm")
	if err != nil {
		t.Fatal(err)
	}
	ic := canisterd.New(t)
	pipes := ic.DeployModule(binary, canisterd.Named("pipes"), canisterd.Features("components"))
	bank := ic.DeployModule(binary, canisterd.Named("bank"), canisterd.Features("components"))
	if err := errors.Join(pipes.Call(ctx, "open", bank.ID()), pipes.Call(ctx, "work", careful)); err != nil {
		t.Fatal(err)
	}
	report, err := explore.Explore(ctx, ic.Network,
		explore.Op(pipes, "pay", uint32(10)), explore.Op(pipes.As(canisterd.User("Bob")), "pay", uint32(20)),
		explore.Invariant("pipes left <= 0"), explore.Faults(0), explore.KeepGoing(), explore.Budget(300),
	)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestAnExplorationFindsALostWakeUpInAStreamOfAComponent(t *testing.T) {
	found := explorePipes(t, false).Violations()
	if len(found) == 0 {
		t.Error("it found nothing")
	}
	careful := explorePipes(t, true)
	for _, f := range careful.Violations() {
		t.Errorf("in the careful component it found\n%s", careful.Explain(f))
	}
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

// TestAnExplorationUpgradesAComponentToAComponent finds what an upgrade between a deposit and its answer does to a careful till:
// no task is left that deposits what came in.
func TestAnExplorationUpgradesAComponentToAComponent(t *testing.T) {
	ic, till, _ := openTill(t, true)
	report, err := explore.Explore(t.Context(), ic.Network,
		explore.Op(till, "take", uint64(10)), explore.Op(till.As(canisterd.User("Bob")), "take", uint64(20)),
		explore.Invariant("till left <= 0"), explore.Upgrade(till, readTill(t), nil), explore.Faults(1, explore.UpgradeInCall),
	)
	if err != nil {
		t.Fatal(err)
	}
	found := report.Violations()
	if len(found) == 0 {
		t.Fatal("it found nothing")
	}
	if text := report.Explain(found[0]); !strings.Contains(text, "till left <= 0") || !strings.Contains(text, "upgrade of its canister") {
		t.Errorf("the explanation is\n%s", text)
	}
}

// TestAnExplorationLosesCallsOfTasks finds that a task cannot tell a deposit that was lost from one whose answer was lost.
func TestAnExplorationLosesCallsOfTasks(t *testing.T) {
	for _, test := range []struct {
		faults []explore.Fault
		finds  string
	}{
		{[]explore.Fault{explore.Unknown, explore.RejectTransient}, ""},
		{[]explore.Fault{explore.LostAnswer}, "is executed, but its caller gets SYS_UNKNOWN"},
	} {
		ic, till, bank := openTill(t, true)
		report, err := explore.Explore(t.Context(), ic.Network, explore.Op(till, "take_within", uint64(10), uint32(60)),
			explore.Faults(1, test.faults...),
			explore.Holds("a task that fails has deposited nothing", func(s *explore.State) error {
				deposited, err := explore.Query[uint64](s, bank, "balance")
				if failed := strings.Contains(string(s.Answers()[0].Reply), "6: "); err == nil && failed && deposited > 0 {
					err = fmt.Errorf("it has deposited %d", deposited)
				}
				return err
			}),
		)
		if err != nil {
			t.Fatal(err)
		}
		found := report.Violations()
		if (len(found) > 0) != (test.finds != "") {
			t.Fatalf("with %v it found %d violations", test.faults, len(found))
		}
		for _, f := range found {
			if text := report.Explain(f); !strings.Contains(text, test.finds) {
				t.Errorf("the explanation is\n%s", text)
			}
		}
	}
}
