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
BenchmarkRatioSize-2   	   10	  900 ns/op	   100 floor-bytes	  150 measured-bytes	  2.0 limit-x
BenchmarkOther-2   	   10	  900 ns/op
PASS
`

func TestRowsAreMediansInTheOrderOfTheRun(t *testing.T) {
	rows, err := collect(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 || rows[0] != (Row{"Update", "ns", 1800, 600, 3, 4, 3}) || rows[1] != (Row{"Info", "ns", 150, 100, 1.5, 0, 1}) || rows[2] != (Row{"Size", "bytes", 150, 100, 1.5, 2, 1}) {
		t.Errorf("got %+v", rows)
	}
}

func TestAMissedLimitIsSaidInTheTable(t *testing.T) {
	var out bytes.Buffer
	if err := table(&out, []Row{{"Slow", "ns", 900, 100, 9, 4, 5}, {"Fine", "bytes", 300, 100, 3, 4, 5}}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[1], "MISSED") || !strings.Contains(lines[2], "ok") || !strings.Contains(lines[2], "300.0 bytes") {
		t.Errorf("the table says\n%s", out.String())
	}
}

func TestABenchmarkWithoutAFloorIsAnError(t *testing.T) {
	if rows, err := collect(strings.NewReader("BenchmarkRatioBare-2 10 5 ns/op\n")); err == nil {
		t.Errorf("got %+v, want an error", rows)
	}
}
