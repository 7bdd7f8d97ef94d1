package main

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func mentioned(t *testing.T, files ...string) mentions {
	t.Helper()
	m := mentions{files: map[string]map[string]bool{}}
	for _, text := range files {
		file, err := parser.ParseFile(token.NewFileSet(), "a_test.go", "package p\n"+text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		m.add(file)
	}
	return m
}

func TestATestUsesAConstantThroughWhatTestFilesDeclare(t *testing.T) {
	m := mentioned(t, `
func TestSelf(t *testing.T) { use(p.MaxA) }
func TestHelped(t *testing.T) { fill(t) }
func TestOther(t *testing.T) { p.MaxB() }
`, `
var most = p.MaxA + 1
func fill(t *testing.T) { use(most) }
`)
	if got := m.through(map[string]bool{"MaxA": true}); len(got) != 2 || !got["TestSelf"] || !got["TestHelped"] {
		t.Errorf("MaxA is used by %v, want TestSelf and TestHelped", got)
	}
	if got := m.through(nil); len(got) > 0 {
		t.Errorf("nothing is used by %v", got)
	}
	if !m.fileNames("TestOther", "MaxA") || m.fileNames("TestOther", "most") {
		t.Error("TestOther is in the file that names MaxA, and not in the one that names most")
	}
}

func TestOnlyTestsThatMayNoticeAMutantAreChosenAndTheLikelyAndFastOnesFirst(t *testing.T) {
	m := mentioned(t, `
func TestNames(t *testing.T) { p.MaxA() }
`, `
func TestNear(t *testing.T) {}
func TestNearAndSlow(t *testing.T) {}
func TestMisses(t *testing.T) {}
`)
	near := []string{"a.go:MaxA: halved"}
	s := suite{[]testRun{
		{Name: "TestNearAndSlow", Took: 2 * time.Second, Near: near},
		{Name: "TestNear", Took: time.Millisecond, Near: near},
		{Name: "TestMisses", Near: []string{"a.go:MaxA: doubled"}},
		{Name: "TestNames", Near: near},
	}}
	var calls []string
	for _, b := range s.choose(target{subject: "MaxA", names: map[string]bool{"MaxA": true}}, m, func(run testRun) bool { return slices.Contains(run.Near, near[0]) }) {
		calls = append(calls, strings.Join(b.tests, " "))
	}
	if got, want := strings.Join(calls, ", "), "TestNames, TestNear, TestNearAndSlow"; got != want {
		t.Errorf("the tests are %s; want %s", got, want)
	}
}

func TestALikelyTestComesBeforeAnUnlikelyOneOfTheSameSpeedAndASlowOneBeforeFastOnesThatAreUnlikely(t *testing.T) {
	fast, medium, slow := time.Millisecond, time.Second, time.Minute
	places := []int{
		order(true, true, fast), order(true, false, medium), order(false, true, fast),
		order(true, true, slow), order(false, true, medium), order(false, false, fast),
		order(false, true, slow), order(false, false, medium), order(false, false, slow),
	}
	if !slices.IsSorted(places) || len(slices.Compact(slices.Clone(places))) != len(places) {
		t.Errorf("the places are %v, want rising ones", places)
	}
}

func TestAMutantThatNeverEndsIsStoppedSoon(t *testing.T) {
	tester := tester{timeout: 5 * time.Minute}
	if got := tester.allowed(2 * time.Second); got != 50*time.Second {
		t.Errorf("tests of two seconds may take %s, want 50s", got)
	}
	if got := tester.allowed(time.Minute); got != tester.timeout {
		t.Errorf("tests of a minute may take %s, want %s", got, tester.timeout)
	}
}

// A run of hours ended at the first package without tests.
func TestAPackageWithoutTestsHasAnEmptySuite(t *testing.T) {
	c := &collection{tester: &tester{root: ".."}, folder: "mutants", binary: filepath.Join(t.TempDir(), "none.test")}
	if s, err := c.collect(t.Context()); err != nil || len(s.Tests) > 0 {
		t.Errorf("the tests are %v, %v", s, err)
	}
}
