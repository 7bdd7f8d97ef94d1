//go:build !race

package stable

import (
	"os"
	"testing"

	"github.com/canisterd/canisterd/test/collector"
)

// TestMain saves the time of the garbage collector, which took half of that of the tests. Tests that measure memory collect
// garbage before.
func TestMain(m *testing.M) {
	collector.Seldom()
	os.Exit(m.Run())
}
