package main

import (
	"os"
	"testing"

	"github.com/canisterd/canisterd/test/collector"
)

// TestMain saves the time of the garbage collector, which took a seventh of that of the tests.
func TestMain(m *testing.M) {
	collector.Seldom()
	os.Exit(m.Run())
}
