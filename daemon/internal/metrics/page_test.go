package metrics

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

// tableHead begins the table of metrics on the page.
const tableHead = "| metric | type | labels | meaning |\n|---|---|---|---|\n"

func TestThePageOfMetricsHasEveryMetric(t *testing.T) {
	const path = "../../../docs/observability.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(text), tableHead)
	at := strings.Index(after, "\n\n")
	if !found || at < 0 {
		t.Fatalf("%s has no table that begins with\n%s", path, tableHead)
	}
	var rows strings.Builder
	for _, f := range Families() {
		labels := ""
		if len(f.Labels) > 0 {
			labels = "`" + strings.Join(f.Labels, "`, `") + "`"
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s |\n", f.Name, f.Type, labels, f.Help)
	}
	page := before + tableHead + rows.String() + after[at+1:]
	golden.Compare(t, path, page)
}

func TestMetricsHaveTheUnitsOfPrometheus(t *testing.T) {
	for _, f := range Families() {
		if strings.HasSuffix(f.Name, "_total") != (f.Type == counter) || !strings.HasPrefix(f.Name, "canisterd_") || !strings.HasSuffix(f.Help, ".") {
			t.Errorf("%s is a %s: %s", f.Name, f.Type, f.Help)
		}
		for _, label := range f.Labels {
			if strings.Contains(label, "canister") {
				t.Errorf("%s has the label %s, which has no bound", f.Name, label)
			}
		}
	}
}
