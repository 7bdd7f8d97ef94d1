package faults

import (
	"testing"

	"github.com/canisterd/canisterd/replica/internal/state"
)

func TestAMethodMatchesWhatItsPatternSays(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "any", true},
		{"run", "run", true},
		{"run", "runs", false},
		{"*", "", true},
		{"*", "run", true},
		{"r*n", "rn", true},
		{"r*n", "run", true},
		{"r*n", "ru", false},
		{"*n", "run", true},
		{"r*", "ur", false},
		{"a*b*c", "a-b-b-c", true},
		{"a*b*c", "acb", false},
		{"aa*aa", "aaa", false},
		{"**", "x", true},
		{"*x*", "y", false},
	} {
		m := state.Match{Method: c.pattern}
		if got := matches(&m, &routed{Kind: state.KindRequest, Method: c.text}); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.text, got)
		}
	}
}
