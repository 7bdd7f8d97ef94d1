package daemon_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/test/canistertest"
)

// TestMain lets the engines of all tests share compiled modules, and the test binary stand for a daemon.
func TestMain(m *testing.M) {
	if folder := os.Getenv(daemon.AsSleeper); folder != "" {
		if err := daemon.Sleep(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(canistertest.Main(m))
}
