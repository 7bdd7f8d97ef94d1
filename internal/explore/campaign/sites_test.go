package campaign

import (
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

func TestNoMoreThanFiveThousandFaultsAreRemembered(t *testing.T) {
	var s siteSet
	for n := range 5000 {
		s.add([]harness.Fault{{At: fmt.Sprintf("op%d", n/2), Kind: harness.FaultKind(1 + n%2)}})
	}
	if s.more {
		t.Error("one of 5,000 faults is left out")
	}
	for n := range 12_000 {
		s.add([]harness.Fault{{At: fmt.Sprintf("op%d", n/2), Kind: harness.FaultKind(1 + n%2)}})
	}
	if !s.more || len(s.list) != 5000 || s.list[4999].At != "op2499" {
		t.Errorf("%d faults are remembered", len(s.list))
	}
}
