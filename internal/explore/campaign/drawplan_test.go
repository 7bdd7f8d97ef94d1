package campaign

import (
	"math/rand/v2"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

func TestADrawnPlanHasOneFaultForEachMessageAtMost(t *testing.T) {
	e := &exploration{Config: &Config{Faults: 3}}
	sites := []harness.Fault{
		{At: "op1/1.request", Kind: harness.RejectError},
		{At: "op1/1.request", Kind: harness.RejectCanister},
		{At: "op1/1.reply", Kind: harness.TrapCallback},
	}
	chance, longest := rand.New(rand.NewPCG(1, 2)), 0
	for range 1000 {
		plan := e.drawPlan(sites, true, chance)
		at := make(map[string]bool)
		for _, f := range plan {
			if at[f.At] {
				t.Fatalf("two faults for one message: %v", plan)
			}
			at[f.At] = true
		}
		longest = max(longest, len(plan))
	}
	if longest != 2 {
		t.Errorf("the longest plan has %d faults, want 2", longest)
	}
}
