package instance_test

import (
	"os"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest"
)

// TestMain lets the engines of all tests share compiled modules.
func TestMain(m *testing.M) { os.Exit(canistertest.Main(m)) }
