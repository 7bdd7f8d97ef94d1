package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fake is a runner whose targets only say their names. broken fail, and dirty change the tree.
func fake(ran *[]string, broken, dirty string) *runner {
	var mu sync.Mutex
	now := tree{commit: "c0ffee"}
	return &runner{
		make: func(_ context.Context, target string, output io.Writer) error {
			mu.Lock()
			defer mu.Unlock()
			*ran = append(*ran, target)
			fmt.Fprintln(output, "this is", target)
			if target == dirty {
				now.status = "?? left.txt"
			}
			if target == broken {
				return errors.New("exit status 2")
			}
			return nil
		},
		tree: func(context.Context) (tree, error) {
			mu.Lock()
			defer mu.Unlock()
			return now, nil
		},
		print: io.Discard,
	}
}

func TestATargetThatFailsFirstEndsTheRunAndALaterOneDoesNot(t *testing.T) {
	for _, c := range []struct {
		broken string
		ran    []string
		says   string
	}{
		{"", []string{"format", "test", "vet"}, "<nil>"},
		{"format", []string{"format"}, "failed: format"},
		{"vet", []string{"format", "test", "vet"}, "failed: vet"},
	} {
		var ran []string
		results, err := fake(&ran, c.broken, "").all(t.Context(), tree{commit: "c0ffee"}, []string{"format"}, []string{"vet", "test"}, 2)
		if slices.Sort(ran); err != nil || !slices.Equal(ran, c.ran) {
			t.Errorf("with %q broken ran %v (%v), want %v", c.broken, ran, err, c.ran)
		}
		if says := fmt.Sprint(failure(results, 3)); says != c.says {
			t.Errorf("with %q broken the run says %q, want %q", c.broken, says, c.says)
		}
	}
}

func TestATargetThatChangesTheTreeFails(t *testing.T) {
	var ran []string
	results, err := fake(&ran, "", "vet").all(t.Context(), tree{commit: "c0ffee"}, nil, []string{"vet"}, 1)
	if err != nil || len(results) != 1 || results[0].err == nil || !strings.Contains(results[0].err.Error(), "?? left.txt") {
		t.Errorf("the run says %v (%v)", results, err)
	}
}

func TestWhatATargetPrintsIsPrintedAsAWhole(t *testing.T) {
	var ran []string
	var printed bytes.Buffer
	r := fake(&ran, "vet", "")
	r.print = &printed
	r.one(t.Context(), tree{commit: "c0ffee"}, "vet")
	if want := "=== vet\nthis is vet\n=== vet FAILED: exit status 2 after 0 s\n"; printed.String() != want {
		t.Errorf("printed %q, want %q", printed.String(), want)
	}
}

// small is a module of three packages: a is used by b, and by the tests of c.
func small() packages {
	p := packages{module: "m", needs: map[string]map[string]bool{}}
	p.add("m", nil)
	p.add("m/a", nil)
	p.add("m/b", []string{"m/a", "fmt"})
	p.add("m/c", nil)
	p.add("m/c.test", []string{"m/c [m/c.test]", "m/a"})
	p.add("m/internal/architecture", nil)
	p.add("m/cmd/canisterd", nil)
	p.add("m/api/control", nil)
	return p
}

func TestAChangeReachesThePackagesThatHaveItInThemselvesOrInTheirTests(t *testing.T) {
	for _, c := range []struct{ file, changes, reaches string }{
		{"a/x.go", "m/a m/internal/architecture", "m/a m/b m/c m/internal/architecture"},
		{"a/testdata/deep/x.txt", "m/a m/internal/architecture", "m/a m/b m/c m/internal/architecture"},
		{"c/x_test.go", "m/c m/internal/architecture", "m/c m/internal/architecture"},
		{"x.go", "m m/internal/architecture", "m m/internal/architecture"},
		{"docs/grpc.md", "m/api/control m/cmd/canisterd m/internal/architecture", "m/api/control m/cmd/canisterd m/internal/architecture"},
		{"README.md", "m m/cmd/canisterd m/internal/architecture", "m m/cmd/canisterd m/internal/architecture"},
		{"Makefile", "m/internal/architecture", "m/internal/architecture"},
		{"go.mod", strings.Join(small().names(), " "), strings.Join(small().names(), " ")},
	} {
		changed := small().changed([]string{c.file})
		if got := strings.Join(changed, " "); got != c.changes {
			t.Errorf("%s changes %s, want %s", c.file, got, c.changes)
		}
		if got := strings.Join(small().reached(changed), " "); got != c.reaches {
			t.Errorf("%s reaches %s, want %s", c.file, got, c.reaches)
		}
	}
}

func TestANameThatIsGoneNeedsASuccessorThatIsThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "renamed.txt")
	if err := os.WriteFile(file, []byte("# moved\nold TestRule* => new TestRule*\na TestOne => a TestTwo, a TestThree\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	moved, err := readSuccessors(file)
	if err != nil {
		t.Fatal(err)
	}
	names := func(list ...string) map[string]bool {
		all := map[string]bool{}
		for _, name := range list {
			all[name] = true
		}
		return all
	}
	before := names("old TestRuleX", "old TestRuleY/sub", "a TestOne", "a TestGone", "a TestStays")
	gone, lost := compare(before, names("new TestRuleX", "a TestTwo", "a TestStays"), moved)
	if want := []string{"a TestGone", "a TestOne", "old TestRuleY/sub"}; len(gone) != 4 || !slices.Equal(lost, want) {
		t.Errorf("gone %v, lost %v, want %v", gone, lost, want)
	}
}

func TestTheNamesOfTestsAreThoseThatRan(t *testing.T) {
	all, err := testNames(strings.NewReader(`{"Action":"run","Package":"m/a","Test":"TestX"}
not an event
{"Action":"run","Package":"m/a","Test":"TestX/sub"}
{"Action":"output","Package":"m/a","Test":"TestY"}
{"Action":"start","Package":"m/a"}
`))
	if err != nil || len(all) != 2 || !all["m/a TestX"] || !all["m/a TestX/sub"] {
		t.Errorf("the names are %v (%v)", all, err)
	}
}
