package campaign

import (
	"testing"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

// Sites returns the faults that the messages of a run can have.
func Sites(c *Config, steps []*harness.Step) []harness.Fault { return c.sites(steps) }

// Observed returns how many queries an exploration observes.
func Observed(t *testing.T, c *Config) int {
	t.Helper()
	full := c.withDefaults()
	b, l, err := newBaseline(&full, []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return len(b.observed(l))
}
