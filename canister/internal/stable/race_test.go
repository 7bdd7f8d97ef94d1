//go:build race

package stable

import (
	"flag"
	"os"
	"testing"
)

// TestMain draws 20 random programs for each test, not 100. A program is one goroutine, in which there is no race to
// find, and takes ten times as long under the race detector. All 100 run without it.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
