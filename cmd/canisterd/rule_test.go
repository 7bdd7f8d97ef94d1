package main

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
)

// Rules with large answers are on pages of their own: the list has them all.
func TestAllRulesAreListedForAnySizeOfPages(t *testing.T) {
	d := serving(t, daemon.Control{})
	reply := `"` + strings.Repeat("x", 2_000_000) + `"`
	for range 3 {
		if code, _, errOut := invoke(t, "--url", d.URL(), "rule", "add", "reply", reply, "--callee", "aaaaa-aa"); code != exitOK {
			t.Fatal(errOut)
		}
	}
	code, out, errOut := invoke(t, "--url", d.URL(), "rule", "list")
	if lines := strings.Count(strings.TrimSpace(out), "\n"); code != exitOK || lines != 3 {
		t.Errorf("exit code %d, %d rules, stderr %q\n%s", code, lines, errOut, out)
	}
}
