package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// makeList returns the words of a variable of the Makefile.
func makeList(t *testing.T, name string) []string {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(root(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^` + name + ` := ((?:.*\\\n)*.*)$`).FindSubmatch(makefile)
	if list == nil {
		t.Fatalf("the Makefile has no %s", name)
	}
	return strings.Fields(strings.ReplaceAll(string(list[1]), "\\\n", " "))
}

func TestTheWorkflowRunsThePartsOfMakeCheck(t *testing.T) {
	workflow, err := os.ReadFile(filepath.Join(root(t), ".github", "workflows", "check.yml"))
	if err != nil {
		t.Fatal(err)
	}
	matrix := regexp.MustCompile(`target: \[(.*)\]`).FindSubmatch(workflow)
	if matrix == nil {
		t.Fatal("the workflow has no matrix of targets")
	}
	if in, want := strings.Split(string(matrix[1]), ", "), makeList(t, "CHECKED"); !slices.Equal(in, want) {
		t.Errorf("the workflow runs %v, make check %v", in, want)
	}
	for _, first := range makeList(t, "CHECKED_FIRST") {
		if !strings.Contains(string(workflow), "- run: make "+first+"\n") {
			t.Errorf("the workflow does not run %s", first)
		}
	}
}

var (
	// makeCommand is a command of make in a page.
	makeCommand = regexp.MustCompile("`make ([a-z-]+)`")
	// ownCommand is a command of canisterd in a page.
	ownCommand = regexp.MustCompile("`canisterd ([a-z-]+)")
	// testedFolder is a package that a page tests.
	testedFolder = regexp.MustCompile(`go test \./([a-z/]+)`)
)

func TestCommandsInThePageForAssistantsExist(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(filepath.Join(root(t), path))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page, makefile, commands := read("AGENTS.md"), read("Makefile"), read("docs/commands.md")
	if len(page) > 4<<10 {
		t.Errorf("AGENTS.md has %d bytes: keep it short, it is read before every task", len(page))
	}
	looked := 0
	for _, row := range []struct {
		pattern *regexp.Regexp
		exists  func(name string) bool
	}{
		{makeCommand, func(name string) bool { return strings.Contains(makefile, "\n"+name+":") }},
		{ownCommand, func(name string) bool { return strings.Contains(commands, "\n### canisterd "+name+"\n") }},
		{testedFolder, func(name string) bool {
			found, err := filepath.Glob(filepath.Join(root(t), name, "*_test.go"))
			return err == nil && len(found) > 0
		}},
	} {
		for _, found := range row.pattern.FindAllStringSubmatch(page, -1) {
			looked++
			if !row.exists(found[1]) {
				t.Errorf("AGENTS.md names %s, which does not exist", found[0])
			}
		}
	}
	if looked < 8 {
		t.Errorf("only %d commands were found", looked)
	}
}

// TestParametersOfTargetsAreNotSetInTheMakefile finds variables that users may set and that have another meaning elsewhere.
func TestParametersOfTargetsAreNotSetInTheMakefile(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	parameters := regexp.MustCompile(`\$\(or \$\((\w+)\),`).FindAllSubmatch(makefile, -1)
	if len(parameters) < 5 {
		t.Errorf("only %d parameters with defaults were found", len(parameters))
	}
	for _, found := range parameters {
		if regexp.MustCompile(`(?m)^` + string(found[1]) + ` [:?]?=`).Match(makefile) {
			t.Errorf("%s is a parameter with a default, and is set in the Makefile: rename one of the two", found[1])
		}
	}
}
