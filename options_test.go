package canisterd

import "testing"

// What the limits do is tested where they are, in package replica.
func TestRateLimitsAreOffUnlessAnOptionAsksForThem(t *testing.T) {
	for want, options := range map[bool][]Option{false: nil, true: {RateLimits()}} {
		if got := configOf(options).Spec.RateLimits; got != want {
			t.Errorf("with %d options they are on: %v", len(options), got)
		}
	}
}
