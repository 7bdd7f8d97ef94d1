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
