package replica_test

import (
	"os"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/collector"
)

// TestMain lets the engines of all tests share compiled modules. Tests that measure memory collect garbage before.
func TestMain(m *testing.M) {
	collector.Seldom()
	os.Exit(canistertest.Main(m))
}
