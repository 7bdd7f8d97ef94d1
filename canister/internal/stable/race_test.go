//go:build race

package stable

import (
	"flag"
	"os"
	"testing"
)

// TestMain draws 20 random programs of each test, not 100. The race detector, for which a program takes ten times as
// long, learns little from the others: a program is one goroutine. All are run without it.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
