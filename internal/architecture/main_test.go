package architecture

import (
	"os"
	"testing"

	"github.com/canisterd/canisterd/test/collector"
)

// TestMain saves the time of the garbage collector, which took a quarter of that of the tests: the sources stay in memory.
func TestMain(m *testing.M) {
	collector.Seldom()
	os.Exit(m.Run())
}
