package main

import (
	"bytes"
	"strings"
	"testing"
)

const output = `goos: linux
BenchmarkRatioUpdate-2   	   10	  900 ns/op	   600 floor-ns	  4.0 limit-x	  1200 measured-ns
BenchmarkRatioUpdate-2   	   10	  900 ns/op	   600 floor-ns	  4.0 limit-x	  3000 measured-ns
BenchmarkRatioUpdate-2   	   10	  900 ns/op	   600 floor-ns	  4.0 limit-x	  1800 measured-ns
BenchmarkRatioInfo   	   10	  900 ns/op	   100 floor-ns	  150 measured-ns
BenchmarkOther-2   	   10	  900 ns/op
PASS
`

func TestRowsAreMediansInTheOrderOfTheRun(t *testing.T) {
	rows, err := collect(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0] != (Row{"Update", 1800, 600, 3, 4, 3}) || rows[1] != (Row{"Info", 150, 100, 1.5, 0, 1}) {
		t.Errorf("got %+v", rows)
	}
}

func TestAMissedLimitIsSaidInTheTable(t *testing.T) {
	var out bytes.Buffer
	if err := table(&out, []Row{{"Slow", 900, 100, 9, 4, 5}, {"Fine", 300, 100, 3, 4, 5}}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[1], "MISSED") || !strings.Contains(lines[2], "ok") {
		t.Errorf("the table says\n%s", out.String())
	}
}

func TestABenchmarkWithoutAFloorIsAnError(t *testing.T) {
	if rows, err := collect(strings.NewReader("BenchmarkRatioBare-2 10 5 ns/op\n")); err == nil {
		t.Errorf("got %+v, want an error", rows)
	}
}
