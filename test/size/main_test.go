package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestAFunctionBelongsToTheModuleWithTheLongestPath(t *testing.T) {
	modules := []string{"github.com/canisterd/canisterd", "example.com/a", "example.com/a/b", "example.com/nats.go"}
	for name, want := range map[string]string{
		"main.main":                          modules[0],
		modules[0] + "/replica.(*Node).Run":  modules[0],
		"example.com/a.F":                    "example.com/a",
		"example.com/a/b/c.F":                "example.com/a/b",
		"example.com/ab.F":                   "Go",
		"example.com/nats%2ego.Connect":      "example.com/nats.go",
		"runtime.mallocgc":                   "Go",
		"type:.eq.example.com/a/b.T":         "example.com/a/b",
		"slices.SortFunc[example.com/a.S,T]": "Go",
	} {
		if got := moduleOf(name, modules); got != want {
			t.Errorf("%s belongs to %s, want %s", name, got, want)
		}
	}
}

func TestAFileIsSharedByCodeWithoutEmbeddedFiles(t *testing.T) {
	functions := map[string]uint64{"main.main": 30, "example.com/a.F": 60, "example.com/a.G": 10}
	shares := sharesOf(functions, map[string]int64{"ours/x": 500}, []string{"ours", "example.com/a"}, 1500)
	want := []share{{"ours", 30, 800}, {"example.com/a", 70, 700}}
	if len(shares) != 2 || shares[0] != want[0] || shares[1] != want[1] {
		t.Errorf("the shares are %v, want %v", shares, want)
	}
}

func TestFunctionsThatLookUpMethodsAreFound(t *testing.T) {
	const (
		reflects = `# github.com/canisterd/canisterd/cmd/canisterd
_ -> main.main
main.main -> reflect.Value.Method <ReflectMethod>`
		others = reflects + `
main.main -> example.com/a.F <ReflectMethod>
example.com/a.F <ReflectMethod> -> type:example.com/a.T <UsedInIface>
main.init -> example.com/a.G <UsedInIface><ReflectMethod>
main.other -> example.com/a.F <ReflectMethod>
`
	)
	for printed, want := range map[string]string{"": "", reflects: "reflect.Value.Method", others: "example.com/a.F example.com/a.G"} {
		found, err := methodLookups(strings.NewReader(printed))
		if got := strings.Join(found, " "); err != nil || got != want {
			t.Errorf("the functions are %q (%v), want %q", got, err, want)
		}
	}
}

func TestABinaryAboveALimitIsRefusedWithItsSize(t *testing.T) {
	for _, c := range []struct {
		m    measured
		want []string
	}{
		{measured{stripped: maxStripped, compressed: maxCompressed}, nil},
		{measured{stripped: maxStripped + 1, compressed: maxCompressed}, []string{"the stripped binary has"}},
		{measured{compressed: maxCompressed + 1, lookups: []string{"a.F"}}, []string{"the compressed binary has", "a.F looks up methods by reflection"}},
	} {
		err := c.m.check()
		if (err == nil) != (c.want == nil) {
			t.Errorf("%+v: %v", c.m, err)
		}
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v, want %q", c.m, err, want)
			}
		}
	}
}

func TestThePageHasTheSizesThatWereMeasured(t *testing.T) {
	const page = "# Size\n\n| module | MB | without it |\n|---|---|---|\n| compressed | 1.0 | |\n| example.com/a | 5.0 | no a |\n"
	sizes := []size{{"compressed", 1.04}, {"example.com/a", 5.3}}
	for _, c := range []struct {
		sizes []size
		want  string
	}{
		{[]size{{"compressed", 1.09}, {"example.com/a", 4.91}}, ""},
		{sizes, "example.com/a has 5.3 MB, not 5.0"},
		{append(sizes, size{"b", 1}), "no row of the table is about b (1.0 MB)"},
		{sizes[:1], "example.com/a is not one of the 15 largest modules"},
	} {
		if _, err := pageWith(page, c.sizes, false); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.sizes, err, c.want)
		}
	}
	got, err := pageWith(page, sizes, true)
	if want := strings.Replace(page, "5.0 | no a", "5.3 | no a", 1); err != nil || got != want {
		t.Errorf("the page becomes (%v)\n%s", err, got)
	}
}

func TestTheLimitsAreATwentiethAboveTheSizesOfThePageAtMost(t *testing.T) {
	page, err := os.ReadFile("../../docs/internals/size.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, limit := range map[string]float64{"the stripped binary": maxStripped, "compressed": maxCompressed} {
		_, row, _ := strings.Cut(string(page), "| "+name+" | ")
		var size float64 // in MB
		if _, err := fmt.Sscan(row, &size); err != nil {
			t.Fatalf("%s: no size in its row of the page: %v", name, err)
		}
		if limit < size*1e6 || limit > size*1.05e6 {
			t.Errorf("%s: the limit is %.0f, and the page says %.1f MB", name, limit, size)
		}
	}
}
