package campaign

import (
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/explore/harness"
)

func TestNoMoreThanFiveThousandFaultsAreRemembered(t *testing.T) {
	var s siteSet
	for n := range 12_000 {
		s.add([]harness.Fault{{At: fmt.Sprintf("op%d", n/2), Kind: harness.FaultKind(1 + n%2)}})
	}
	if len(s.list) != 5000 || s.list[4999].At != "op2499" {
		t.Errorf("%d faults are remembered", len(s.list))
	}
}
