package faults

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

func TestRulesAndTheirPartsAreLimited(t *testing.T) {
	replies := func(bytes int) *state.Rule {
		return &state.Rule{Action: state.Action{Kind: state.ActReply, Reply: make([]byte, bytes)}}
	}
	noted := func(bytes int) *state.Rule {
		return &state.Rule{Action: state.Action{Kind: state.ActHold}, Note: strings.Repeat("x", bytes)}
	}
	for most, largest := range map[int]func(int) *state.Rule{2_097_152: replies, 4096: noted} {
		if why := CheckRule(largest(most)); why != "" {
			t.Errorf("a rule with %d bytes: %s", most, why)
		}
		if CheckRule(largest(most+1)) == "" {
			t.Errorf("a rule with %d bytes may be", most+1)
		}
	}
	var rules state.Rules
	for range 1000 {
		if _, refused := Add(&rules, holds(state.Match{})); refused != nil {
			t.Fatal(refused)
		}
	}
	if _, refused := Add(&rules, holds(state.Match{})); refused == nil || refused.Kind != refusal.Full {
		t.Errorf("a rule more: %v", refused)
	}
}
