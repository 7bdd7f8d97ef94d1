package coverage_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/coverage"
)

func TestNamesAreShownUpTo512Characters(t *testing.T) {
	for n, want := range map[int]string{512: strings.Repeat("é", 512), 513: strings.Repeat("é", 512) + "…"} {
		if got := named(strings.Repeat("é", n)).Canisters[0].Label; got != want {
			t.Errorf("a name of %d characters is shown as %q", n, got)
		}
	}
}

func TestThePageLists5000FunctionsOfACanister(t *testing.T) {
	for n, want := range map[int]string{5_000: "", 5_001: "1 more are not shown."} {
		m := coverage.Module{Functions: make([]coverage.Function, n)}
		page := written(t, coverage.Summarize(report(t, m), coverage.Options{}).WritePage)
		if got := strings.Count(page, "function 0</td>"); got != 5_000 || strings.Contains(page, "more are not shown") != (want != "") || !strings.Contains(page, want) {
			t.Errorf("of %d functions the page lists %d, and %q", n, got, want)
		}
	}
}

func TestThePageHas16MiBOfSources(t *testing.T) {
	const limit = 16 << 20
	for size, want := range map[int]bool{limit: true, limit + 1: false} {
		source := func(file string) ([]byte, bool) {
			if file == "src/sum.c" {
				return append(bytes.Repeat([]byte("\n"), 20), bytes.Repeat([]byte("x"), size-20)...), true
			}
			return nil, false
		}
		page := written(t, coverage.Summarize(report(t, summer(t)), coverage.Options{Source: source}).WritePage)
		if got := !strings.Contains(page, "The page has 16 MiB of sources already"); got != want {
			t.Errorf("a source of %d bytes is shown: %t", size, got)
		}
	}
}
