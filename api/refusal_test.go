package api

import (
	"testing"

	"github.com/canisterd/canisterd/internal/refusal"
)

func TestEveryReasonHasAKindAndAText(t *testing.T) {
	for r := UnknownPath; r <= NoCertifiedState; r++ {
		row := refusals[r]
		if row.kind >= refusal.Kinds || row.text == "" {
			t.Errorf("reason %d: kind %d, text %q", r, row.kind, row.text)
		}
	}
	if len(refusals) != int(NoCertifiedState)+1 {
		t.Errorf("the table has %d rows for %d reasons", len(refusals), NoCertifiedState+1)
	}
}
