package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const sample = `package p

const (
	// MaxA is a limit.
	MaxA       = 16 << 10
	MaxB, maxC = 3, 4
	MaxD       = MaxA
	name       = "no number"
	ratio      = 0.5
)

func fits(n int) bool { return n <= MaxA && n != 0 && n != 0 }
`

func sampleFile(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "limits.go"), []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

func names(mutants []mutant) []string {
	var all []string
	for _, m := range mutants {
		all = append(all, m.name)
	}
	return all
}

func TestEachIntegerConstantIsDoubledAndHalved(t *testing.T) {
	mutants, err := mutantsOf(sampleFile(t), "limits.go", constants)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"limits.go:MaxA: doubled", "limits.go:MaxA: halved", "limits.go:MaxB: doubled", "limits.go:MaxB: halved",
		"limits.go:maxC: doubled", "limits.go:maxC: halved",
	}
	if got := names(mutants); !slices.Equal(got, want) {
		t.Errorf("the mutants are %q, want %q", got, want)
	}
	if text := string(mutants[1].apply([]byte(sample))); !strings.Contains(text, "MaxA       = (16 << 10)/2\n") {
		t.Errorf("halving MaxA makes\n%s", text)
	}
}

func TestEachComparisonIsFlippedAndHasANameOfItsOwn(t *testing.T) {
	mutants, err := mutantsOf(sampleFile(t), "limits.go", comparisons)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"limits.go:fits: <= becomes < in n <= MaxA", "limits.go:fits: != becomes == in n != 0", "limits.go:fits: != becomes == in n != 0 (2)",
	}
	if got := names(mutants); !slices.Equal(got, want) {
		t.Errorf("the mutants are %q, want %q", got, want)
	}
	if text := string(mutants[0].apply([]byte(sample))); !strings.Contains(text, "n < MaxA &&") {
		t.Errorf("flipping <= makes\n%s", text)
	}
}

func TestTheTablesNameMutantsAndPackagesThatExist(t *testing.T) {
	all, err := find("../..")
	if err != nil {
		t.Fatal(err)
	}
	known, err := readSurvivors("survivors.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := known.check(all); err != nil {
		t.Error(err)
	}
	have := names(all)
	for _, name := range always {
		if !slices.Contains(have, name) {
			t.Errorf("every sample is to have %s, but no mutant has that name", name)
		}
	}
	if slices.Sort(have); len(slices.Compact(slices.Clone(have))) != len(have) {
		t.Error("two mutants have the same name")
	}
	for folder, more := range suites {
		for _, path := range append([]string{folder}, more...) {
			if _, err := os.Stat(filepath.Join("../..", path)); err != nil {
				t.Errorf("the tests for mutants of %s: %v", folder, err)
			}
		}
	}
}

func TestASampleIsTheSameForTheSameSeedAndHasWhatOnceSurvived(t *testing.T) {
	all, err := find("../..")
	if err != nil {
		t.Fatal(err)
	}
	o := options{only: regexp.MustCompile(""), sample: 5, seed: 7}
	first, err := choose(all, o)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := choose(all, o)
	if !slices.Equal(names(first), names(second)) {
		t.Errorf("seed 7 draws %q, then %q", names(first), names(second))
	}
	if len(first) != len(always)+5 || !slices.Contains(names(first), always[0]) {
		t.Errorf("the sample is %q, want %d mutants and those in always", names(first), 5)
	}
}

func TestANewMutantMovesAtMostOneOutOfTheSample(t *testing.T) {
	all, err := find("../..")
	if err != nil {
		t.Fatal(err)
	}
	o := options{only: regexp.MustCompile(""), sample: 5, seed: 7}
	before, err := choose(all, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		after, err := choose(append([]mutant{{name: fmt.Sprintf("new.go:Max%d: halved", i)}}, all...), o)
		if err != nil {
			t.Fatal(err)
		}
		kept := slices.DeleteFunc(names(before), func(name string) bool { return !slices.Contains(names(after), name) })
		if len(kept) < len(before)-1 {
			t.Errorf("after Max%d came, only %q of %q are left", i, kept, names(before))
		}
	}
}

func TestVerdictsAreKnownInTheNextRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verdicts")
	for run := range 2 {
		v, err := openVerdicts(path)
		if err != nil {
			t.Fatal(err)
		}
		if run == 0 {
			if err := errors.Join(v.add("tree a.go:MaxA: doubled", "candid"), v.add("tree a.go:MaxA: halved", "")); err != nil {
				t.Fatal(err)
			}
		}
		if by, known := v.known["tree a.go:MaxA: doubled"]; !known || by != "candid" {
			t.Errorf("in run %d the first was killed by %q (%t)", run, by, known)
		}
		if by, known := v.known["tree a.go:MaxA: halved"]; !known || by != "" {
			t.Errorf("in run %d the second was killed by %q (%t)", run, by, known)
		}
		if err := v.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAListOfSurvivorsThatNamesNoMutantIsRefused(t *testing.T) {
	if err := (survivors{"gone.go:MaxGone: halved": "a reason"}).check(nil); err == nil || !strings.Contains(err.Error(), "gone.go:MaxGone: halved") {
		t.Errorf("the check says %v", err)
	}
	path := filepath.Join(t.TempDir(), "survivors.txt")
	if err := os.WriteFile(path, []byte("# a comment\n\na.go:f: == becomes != in x == y = the second is never equal\nno reason\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readSurvivors(path); err == nil || !strings.Contains(err.Error(), ":4: expected NAME = REASON") {
		t.Errorf("reading says %v", err)
	}
}

// failing is set where the test binary runs itself.
const failing = "CANISTERD_FAILING_PROPERTY"

func TestAPropertyThatFailsForAMutantIsNotKeptForTheNext(t *testing.T) {
	if os.Getenv(failing) != "" {
		rapid.Check(t, func(t *rapid.T) { t.Fatal(rapid.Int().Draw(t, "n")) })
		return
	}
	t.Setenv(failing, "yes")
	tester := tester{root: t.TempDir()}
	out, err := tester.command(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$")
	if err == nil || !strings.Contains(string(out), "[rapid] failed after 0 tests") {
		t.Fatalf("the property does not fail: %v\n%s", err, out)
	}
	left, err := os.ReadDir(tester.root)
	if err != nil || len(left) > 0 {
		t.Errorf("%v are left behind: %v", left, err)
	}
}
