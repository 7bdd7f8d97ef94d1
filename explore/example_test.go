package explore_test

import (
	"testing"

	"github.com/canisterd/canisterd/explore"
)

// testWithdrawals is what docs/explore.md shows.
func testWithdrawals(t testing.TB, file string) {
	ic, bank, _ := bank(t, file)
	explore.Run(t, ic.Network,
		explore.Op(bank, "withdraw", 100),
		explore.Op(bank, "withdraw", 100),
		explore.Invariant("vault paidOut <= 100"),
	)
}

func TestTheTestOfThePagePassesWithoutTheBug(t *testing.T) { testWithdrawals(t, "careful.wasm") }
