package main

import (
	"regexp"
	"testing"
)

func TestTheTargetsOfAPackageAreFoundInItsTests(t *testing.T) {
	targets, err := list(t.Context(), []string{"../../candid"}, regexp.MustCompile("^FuzzDecode"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, target := range targets {
		names = append(names, target.name)
	}
	if len(names) != 2 || names[0] != "FuzzDecode" || names[1] != "FuzzDecodeTypes" {
		t.Errorf("the targets of candid that begin with FuzzDecode are %q", names)
	}
}

func TestARunThatProvesNothingFails(t *testing.T) {
	line := func(execs, found string) string {
		return "fuzz: elapsed: 0s, gathering baseline coverage: 5/5 completed, now fuzzing with 2 workers\n" +
			"fuzz: elapsed: 3s, execs: 10 (3/sec), new interesting: 0 (total: 5)\n" +
			"fuzz: elapsed: 10s, execs: " + execs + " (100/sec), new interesting: " + found + " (total: 9)\n"
	}
	for _, c := range []struct {
		what, output string
		failed       bool
		want         string
	}{
		{"enough executions and a new input", line("1000", "4") + "PASS\n", false, "ok"},
		{"an end that go test takes for a failure", line("1000", "4") + "--- FAIL: FuzzX (10.02s)\n    context deadline exceeded\nFAIL\n", true, "ok"},
		{"a failing input", line("5000", "4") + "--- FAIL: FuzzX\n    Failing input written to testdata/fuzz/FuzzX/1\n", true, "FAILED"},
		{"a seed that fails", "--- FAIL: FuzzX\n    it panicked\n", true, "FAILED"},
		{"too few executions", line("999", "4"), false, "TOO FEW EXECUTIONS, at least 1000"},
		{"no new input", line("5000", "0"), false, "NO NEW INPUT"},
		{"no progress at all", "PASS\n", false, "TOO FEW EXECUTIONS, at least 1000"},
	} {
		if got := read(c.output, c.failed).verdict(1000); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}
