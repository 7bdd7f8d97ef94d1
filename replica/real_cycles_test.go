package replica_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/replica"
)

// Real canisters, the real management canister: whatever they do, in whatever order,
// each cycle is somewhere or went where cycles may go, after every single step.
func TestNoScenarioOfRealCanistersCreatesOrLosesACycle(t *testing.T) {
	few(t)
	th := newHarness(t)
	rapid.Check(t, func(rt *rapid.T) {
		d := drawScenario(rt)
		audit := func(n *replica.Network) {
			if count := n.Introspect().AuditCycles(); !balanced(&count) {
				rt.Fatalf("the books of\n%s\ndo not balance: held %s, spent %s, minted %s: %+v", d, count.Held(), count.Spent(), count.Minted, count)
			}
		}
		oracle := replica.OracleFunc(func(moves []replica.Move) int { return rapid.IntRange(0, len(moves)-1).Draw(rt, "move") })
		th.run(d, nil, func(n *replica.Network) {
			audit(n) // what came in between two rounds
			for height := n.View().Height; n.View().Height == height; {
				n.Step(oracle)
				audit(n)
			}
		})
	})
}
