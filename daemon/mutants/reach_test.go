package main

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
	"time"
)

const profile = `mode: set
example.org/m/a/a.go:3.20,5.9 2 1
example.org/m/a/a.go:5.9,7.3 1 0
example.org/m/b/b.go:10.2,12.30 3 1
`

func TestAProfileTellsWhichBlocksWereExecuted(t *testing.T) {
	got, err := parseProfile([]byte(profile), "example.org/m")
	if err != nil {
		t.Fatal(err)
	}
	want := []block{{"a/a.go", point{3, 20}, point{5, 9}}, {"b/b.go", point{10, 2}, point{12, 30}}}
	if !slices.Equal(got, want) {
		t.Errorf("the blocks are %v, want %v", got, want)
	}
}

func TestAProfileThatIsNoneIsRefused(t *testing.T) {
	for _, line := range []string{"text", "a.go:1.2,3.4", "a.go:x.2,3.4 1 1", "a.go:1.2,3 1 1"} {
		if got, err := parseProfile([]byte(line+"\n"), "m"); err == nil {
			t.Errorf("%q is read as %v", line, got)
		}
	}
}

func TestAPlaceIsRunByItsBlockOrByAllOfItsFunction(t *testing.T) {
	blocks := []block{
		{"a.go", point{3, 20}, point{5, 9}},
		{"a.go", point{6, 3}, point{7, 3}},
		{"a.go", point{20, 1}, point{21, 3}},
		{"b.go", point{3, 1}, point{9, 1}},
	}
	for _, c := range []struct {
		at   point
		want []int
	}{
		{point{3, 20}, []int{0}},
		{point{4, 1}, []int{0}},
		{point{5, 8}, []int{0}},
		{point{5, 9}, []int{0, 1}}, // between blocks, as a case of a switch
		{point{6, 40}, []int{1}},
	} {
		if got := at(blocks, place{"a.go", c.at, point{3, 1}, point{8, 2}}); !slices.Equal(got, c.want) {
			t.Errorf("what is at %v is run by the blocks %v, want %v", c.at, got, c.want)
		}
	}
	if got := at(blocks, place{"c.go", point{3, 20}, point{3, 1}, point{8, 2}}); len(got) > 0 {
		t.Errorf("a file without blocks is run by %v", got)
	}
}

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
func TestReaches(t *testing.T) {}
func TestReachesSlowly(t *testing.T) {}
func TestMisses(t *testing.T) {}
func TestUnknown(t *testing.T) {}
func TestStarts(t *testing.T) { exec.Command("x") }
`)
	s, indexes := suite{}, map[block]int{}
	here, there := block{"a.go", point{3, 1}, point{5, 1}}, block{"a.go", point{9, 1}, point{12, 1}}
	s.add(testRun{Name: "TestReachesSlowly", Took: 2 * time.Second}, []block{there, here}, indexes)
	s.add(testRun{Name: "TestReaches", Took: time.Millisecond}, []block{here}, indexes)
	s.add(testRun{Name: "TestMisses"}, []block{there}, indexes)
	s.add(testRun{Name: "TestNames"}, nil, indexes)
	s.add(testRun{Name: "TestUnknown", Always: true}, nil, indexes)
	s.add(testRun{Name: "TestStarts"}, nil, indexes)
	changed := target{subject: "MaxA", names: map[string]bool{"MaxA": true}, places: []place{{"a.go", point{4, 2}, point{1, 1}, point{13, 1}}}}
	chosen := func(changed target) string {
		var calls []string
		for _, b := range s.choose(changed, m) {
			calls = append(calls, strings.Join(b.tests, " "))
		}
		return strings.Join(calls, ", ")
	}
	if got, want := chosen(changed), "TestNames, TestReaches TestUnknown TestStarts, TestReachesSlowly"; got != want {
		t.Errorf("the tests are %s; want %s", got, want)
	}
	changed.anywhere = true
	if got, want := chosen(changed), "TestNames, TestReaches TestMisses TestUnknown TestStarts, TestReachesSlowly"; got != want {
		t.Errorf("where any test may notice, the tests are %s; want %s", got, want)
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
