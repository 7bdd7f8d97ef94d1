package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const output = `goos: linux
BenchmarkRatioUpdate-2   	   10	  900 ns/op	   600 floor-ns	  4.0 limit-x	  1200 measured-ns	 1300 mean-ns	 5000 p99-ns
BenchmarkRatioUpdate-2   	   10	  900 ns/op	   600 floor-ns	  4.0 limit-x	  3000 measured-ns	 3100 mean-ns	 9000 p99-ns
BenchmarkRatioUpdate-2   	   10	  900 ns/op	   600 floor-ns	  4.0 limit-x	  1800 measured-ns	 1900 mean-ns	 7000 p99-ns
BenchmarkRatioInfo   	   10	  900 ns/op	   100 floor-ns	  150 measured-ns
BenchmarkRatioSize-2   	   10	  900 ns/op	   100 floor-bytes	  150 measured-bytes	  2.0 limit-x
BenchmarkRatioBounded-2   	   10	  900 ns/op	   100 floor-ns	  150 measured-ns	  2.0 limit-x	  140 bound-ns	  1.4 cpu-x	  1.2 frozen-x
BenchmarkOther-2   	   10	  900 ns/op
PASS
`

func TestRowsAreMediansInTheOrderOfTheRun(t *testing.T) {
	rows, err := collect(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	want := []Row{
		{Name: "Update", Unit: "ns", Measured: 1800, Floor: 600, Ratio: 3, Limit: 4, Mean: 1900, P99: 7000, Runs: 3},
		{Name: "Info", Unit: "ns", Measured: 150, Floor: 100, Ratio: 1.5, Runs: 1},
		{Name: "Size", Unit: "bytes", Measured: 150, Floor: 100, Ratio: 1.5, Limit: 2, Runs: 1},
		{Name: "Bounded", Unit: "ns", Measured: 150, Floor: 100, Ratio: 1.5, Limit: 2, CPU: 1.4, Frozen: 1.2, Bound: 140, Runs: 1},
	}
	if !slices.Equal(rows, want) {
		t.Errorf("got %+v", rows)
	}
}

func TestAMissedLimitIsShownInTheTable(t *testing.T) {
	var out bytes.Buffer
	if err := table(&out, []Row{
		{Name: "Slow", Unit: "ns", Measured: 900, Floor: 100, Ratio: 9, Limit: 4, P99: 1500, Runs: 5},
		{Name: "Fine", Unit: "bytes", Measured: 300, Floor: 100, Ratio: 3, Limit: 4, Runs: 5},
		{Name: "Late", Unit: "ns", Measured: 300, Floor: 100, Ratio: 3, Limit: 4, Bound: 200, Runs: 5},
		{Name: "InTime", Unit: "ns", Measured: 300, Floor: 100, Ratio: 3, Bound: 300, Runs: 5},
		{Name: "Disturbed", Unit: "ns", Measured: 900, Floor: 100, Ratio: 9, Limit: 4, CPU: 3, Runs: 5},
		{Name: "Worse", Unit: "ns", Measured: 900, Floor: 100, Ratio: 9, Limit: 4, CPU: 8, Runs: 5},
	}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[1], "MISSED") || !strings.Contains(lines[1], "1.5µs") || !strings.Contains(lines[2], "ok") || !strings.Contains(lines[2], "300.0 bytes") {
		t.Errorf("the table says\n%s", out.String())
	}
	if !strings.Contains(lines[3], "MISSED") || !strings.Contains(lines[3], "200.0ns") || !strings.Contains(lines[4], "ok") {
		t.Errorf("about bounds, the table says\n%s", out.String())
	}
	if !strings.Contains(lines[5], "3.00") || !strings.Contains(lines[5], "ok") || !strings.Contains(lines[6], "MISSED") {
		t.Errorf("about CPU times, the table says\n%s", out.String())
	}
}

func TestRowsThatMissedTheirLimitsAreAnError(t *testing.T) {
	fine := Row{Name: "Fine", Ratio: 3, Limit: 4}
	if err := missedLimits([]Row{fine}); err != nil {
		t.Errorf("a row within its limit: %v", err)
	}
	err := missedLimits([]Row{{Name: "Slow", Ratio: 9, Limit: 4}, fine, {Name: "Late", Measured: 300, Bound: 200}})
	if err == nil || !strings.Contains(err.Error(), "2 of 3 rows missed their limits: Slow, Late") {
		t.Errorf("two rows over their limits: %v", err)
	}
}

func TestARowFailsIfItMissesItsLimitInBothOfTwoRuns(t *testing.T) {
	rows := []Row{{Name: "Once", Ratio: 5, Limit: 4}, {Name: "Twice", Ratio: 5, Limit: 4}, {Name: "Twice/Fine", Ratio: 3, Limit: 4}}
	replaceMissed(rows, []Row{{Name: "Once", Ratio: 3, Limit: 4}, {Name: "Twice", Ratio: 6, Limit: 4}, {Name: "Twice/Fine", Ratio: 5, Limit: 4}})
	err := missedLimits(rows)
	if err == nil || !strings.Contains(err.Error(), "1 of 3 rows missed their limits: Twice;") {
		t.Errorf("of a row that misses once, one that misses twice and one that misses only when it is repeated: %v", err)
	}
}

func TestABenchmarkWithoutAFloorIsAnError(t *testing.T) {
	if rows, err := collect(strings.NewReader("BenchmarkRatioBare-2 10 5 ns/op\n")); err == nil {
		t.Errorf("got %+v, want an error", rows)
	}
}

func TestAQuantileLiesBetweenTwoValues(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	for share, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 2.5, 0.75: 3.25, 1: 4} {
		if got := quantile(values, share); got != want {
			t.Errorf("the quantile %g of %v is %g, want %g", share, values, got, want)
		}
	}
}

func TestARowIsWorseOnlyIfTheProductBecameSlower(t *testing.T) {
	for _, c := range []struct {
		change Change
		want   string
	}{
		{Change{Ratios: 1.02, Measured: 1.02, Floor: 1}, "same"},
		{Change{Ratios: 0.9, Measured: 1.2, Floor: 1.33}, "better"},
		{Change{Ratios: 1.1, Measured: 1.01, Floor: 0.92}, "floor faster"},
		{Change{Ratios: 1.1, Measured: 1.1, Floor: 1, BaseHigh: 1, Low: 1.05}, "WORSE"},
		{Change{Ratios: 1.1, Measured: 1.1, Floor: 1, BaseHigh: 1.1, Low: 1.05}, "within quartiles"},
		{Change{Ratios: 1.1, Measured: 1.1, Floor: 1, BaseHigh: 1, Low: 1.05, CPU: 1.1}, "WORSE"},
		{Change{Ratios: 1.1, Measured: 1.1, Floor: 1, BaseHigh: 1, Low: 1.05, CPU: 1.01}, "machine busy"},
		{Change{Ratios: 1.1, Measured: 1.1, Floor: 1, BaseHigh: 1, Low: 1.05, Again: &Change{Ratios: 1.02, Measured: 1, Floor: 1}}, "same"},
	} {
		if got := c.change.verdict(); got != c.want {
			t.Errorf("%+v is %q, want %q", c.change, got, c.want)
		}
	}
}

// moduleOf is a checkout with one benchmark of a fixed ratio, and one more if it has a name.
func moduleOf(t *testing.T, measured, another string) string {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc BenchmarkRatioFixed(b *testing.B) {\n\tfor b.Loop() {\n\t}\n" +
			"\tb.ReportMetric(" + measured + ", \"measured-ns\")\n\tb.ReportMetric(100, \"floor-ns\")\n" +
			"\tb.ReportMetric(" + measured + "/100.0, \"cpu-x\")\n}\n",
	}
	if another != "" {
		files["n_test.go"] = "package m\n\nimport \"testing\"\n\nfunc BenchmarkRatio" + another + "(b *testing.B) {\n}\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestTwoCheckoutsAreComparedRowByRow(t *testing.T) {
	base, here := moduleOf(t, "300", ""), moduleOf(t, "450", "New")
	t.Chdir(here)
	file := filepath.Join(t.TempDir(), "changes.json")
	o := options{base: base, count: 1, benchtime: "1x", json: file, packages: []string{"./..."}}
	if err := compare(t.Context(), o); err == nil || !strings.Contains(err.Error(), "1 of 1 rows are worse in both of two runs: Fixed") {
		t.Errorf("a row that takes longer: %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var changes []Change
	if err := json.Unmarshal(text, &changes); err != nil {
		t.Fatal(err)
	}
	run := Change{Name: "Fixed", Base: 3, BaseHigh: 3, Ratio: 4.5, Low: 4.5, Ratios: 1.5, Measured: 1.5, Floor: 1, CPU: 1.5, Turns: 1}
	if len(changes) != 1 || changes[0].Again == nil || *changes[0].Again != run {
		t.Fatalf("got %+v, want %+v twice", changes, run)
	}
	if changes[0].Again = nil; changes[0] != run {
		t.Errorf("the first run is %+v, want %+v", changes[0], run)
	}
	o.only = "NothingHasThisName"
	if err := compare(t.Context(), o); err == nil {
		t.Error("a comparison of no benchmark is no error")
	}
}

func TestTheNameOfARowHasNoProcessors(t *testing.T) {
	for line, want := range map[string]string{
		"BenchmarkRatioUpdate-2   \t 10\t 900 ns/op": "BenchmarkRatioUpdate",
		"BenchmarkRatioUpdate   \t 10\t 900 ns/op":   "BenchmarkRatioUpdate",
		"BenchmarkRatioBlob/Marshal-2 \t 10":         "BenchmarkRatioBlob/Marshal",
		"BenchmarkOther-2 \t 10":                     "",
		"PASS":                                       "",
	} {
		name, isRow := rowOf(line)
		if isRow != (want != "") || isRow && name != want {
			t.Errorf("%q: %q, %v", line, name, isRow)
		}
	}
}

func TestBenchmarksThatTakeLongRunOnce(t *testing.T) {
	module := moduleOf(t, "300", "")
	t.Chdir(module)
	folder := t.TempDir()
	o := options{count: 3, benchtime: "1x", packages: []string{"./..."}}
	here, err := build(t.Context(), o, ".", folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(here.suites) != 1 {
		t.Fatalf("%d packages have benchmarks", len(here.suites))
	}
	s, took := here.suites[0], map[string]time.Duration{"BenchmarkRatioFixed": patience}
	var out bytes.Buffer
	if err := s.repeat(t.Context(), o, &out, took); err != nil || out.Len() > 0 {
		t.Errorf("it runs though it took %v: %v, %s", patience, err, &out)
	}
	clear(took)
	if err := s.repeat(t.Context(), o, &out, took); err != nil {
		t.Fatal(err)
	}
	if rows, err := collect(&out); err != nil || len(rows) != 1 || rows[0].Runs != 3 {
		t.Errorf("rows %+v, %v", rows, err)
	}
}
