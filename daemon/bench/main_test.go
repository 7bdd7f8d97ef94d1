package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

const output = `goos: linux
BenchmarkRatioUpdate-2   	   10	  900 ns/op	   600 floor-ns	  4.0 limit-x	  1200 measured-ns	 1300 mean-ns	 5000 p99-ns
BenchmarkRatioUpdate-2   	   10	  900 ns/op	   600 floor-ns	  4.0 limit-x	  3000 measured-ns	 3100 mean-ns	 9000 p99-ns
BenchmarkRatioUpdate-2   	   10	  900 ns/op	   600 floor-ns	  4.0 limit-x	  1800 measured-ns	 1900 mean-ns	 7000 p99-ns
BenchmarkRatioInfo   	   10	  900 ns/op	   100 floor-ns	  150 measured-ns
BenchmarkRatioSize-2   	   10	  900 ns/op	   100 floor-bytes	  150 measured-bytes	  2.0 limit-x
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
	}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[1], "MISSED") || !strings.Contains(lines[1], "1.5µs") || !strings.Contains(lines[2], "ok") || !strings.Contains(lines[2], "300.0 bytes") {
		t.Errorf("the table says\n%s", out.String())
	}
}

func TestABenchmarkWithoutAFloorIsAnError(t *testing.T) {
	if rows, err := collect(strings.NewReader("BenchmarkRatioBare-2 10 5 ns/op\n")); err == nil {
		t.Errorf("got %+v, want an error", rows)
	}
}
