package campaign

import (
	"slices"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// commute returns whether two messages commute under a plan; nil stands for search.Commute. A message with the fault
// PassTime commutes with no other, because all canisters see the time that passes after it. Neither do messages of
// different canisters commute if a property compares these canisters after each message.
func (b *baseline) commute(plan harness.Plan) func(a, b *search.Move) bool {
	var passes []string
	for _, f := range plan {
		if f.Kind == harness.PassTime {
			passes = append(passes, f.At)
		}
	}
	var together [][]int // receivers that a property compares
	for _, p := range b.properties {
		canisters, all := property.Together(p)
		if all {
			return func(_, _ *search.Move) bool { return false }
		}
		var receivers []int
		for _, id := range canisters {
			receivers = append(receivers, harness.ReceiverOf(id))
		}
		if len(receivers) > 1 {
			together = append(together, receivers)
		}
	}
	if passes == nil && together == nil {
		return nil
	}
	return func(a, b *search.Move) bool {
		seen := func(receivers []int) bool {
			return slices.Contains(receivers, a.Receiver) && slices.Contains(receivers, b.Receiver)
		}
		return !slices.Contains(passes, a.Name) && !slices.Contains(passes, b.Name) && !slices.ContainsFunc(together, seen) && search.Commute(a, b)
	}
}
