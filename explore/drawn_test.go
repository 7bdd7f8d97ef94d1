package explore_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/explore"
)

func TestArgumentsAreDrawnFromTypesRangesExamplesAndGenerators(t *testing.T) {
	ic, bank, _ := bank(t, "bank.wasm")
	for name, options := range map[string][]explore.Option{
		"types":    {explore.Drawn(bank, "withdraw"), explore.Drawn(bank, "withdraw")},
		"a range":  {explore.Drawn(bank, "withdraw"), explore.Drawn(bank, "withdraw"), explore.Between(bank, "withdraw", 50, 100)},
		"examples": {explore.Drawn(bank, "withdraw"), explore.Drawn(bank, "withdraw"), explore.Examples(bank, "withdraw", "(77)")},
		"a generator": {
			explore.DrawnFrom[int](bank, "withdraw", rapid.IntRange(40, 90)), explore.DrawnFrom[int](bank, "withdraw", rapid.IntRange(40, 90)),
		},
		"calls": {explore.Op(bank, "withdraw", 100), explore.Any(bank)},
	} {
		options = append(options, explore.Invariant("vault paidOut <= 100 + bank balance"), explore.OnlyStated(), explore.Budget(1_000))
		report, err := explore.Explore(t.Context(), ic.Network, options...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found := report.Violations()
		if len(found) == 0 {
			t.Errorf("%s: nothing was found: %s", name, report.Conclusion())
			continue
		}
		if text := report.Explain(found[0]); strings.Contains(text, "?") || !strings.Contains(text, ": bank.withdraw(") {
			t.Errorf("%s: the finding is\n%s", name, text)
		}
	}
	if _, err := explore.Explore(t.Context(), ic.Network, explore.Op(bank, "withdraw", 100), explore.Between(bank, "withdraw", 1, 2)); err == nil {
		t.Error("the range of arguments that are given is accepted")
	}
}
