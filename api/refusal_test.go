package api

import (
	"testing"

	"github.com/canisterd/canisterd/internal/refusal"
)

func TestEveryReasonHasAKindAndAText(t *testing.T) {
	if len(reasons) < 20 {
		t.Errorf("the table has %d reasons", len(reasons))
	}
	for _, r := range reasons {
		if r.Kind >= refusal.Kinds || r.Text == "" {
			t.Errorf("%q: kind %d", r.Text, r.Kind)
		}
	}
}
