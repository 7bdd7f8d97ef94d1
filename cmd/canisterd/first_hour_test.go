//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

// firstHour says what went wrong when a new user tried canisterd, with commands that show that it is right now.
const firstHour = "testdata/first_hour.md"

// TestTheFirstHourGoesFromCloneToProject reads the first two pages and the 18 points as one. make first-hour does the
// same in a clone.
func TestTheFirstHourGoesFromCloneToProject(t *testing.T) {
	points := mustAbs(t, firstHour)
	if got := newReader(t).firstHour(golden.Read(t, points)); golden.Rewriting() {
		golden.Compare(t, points, got)
	}
}

// firstHour reads the first two pages and the points, and gives the page of the points as it should be.
func (r *reader) firstHour(points string) string {
	r.t.Helper()
	r.read(mustRead(r.t, filepath.Join(r.repository, "docs/start.md")))
	r.run("cd " + r.clone)
	r.serve(step{command: "canisterd start --ephemeral --seed 00", output: "…\nready; stop with Ctrl-C or canisterd stop\n"})
	r.read(mustRead(r.t, filepath.Join(r.repository, "docs/project.md")))
	return r.read(points)
}

func TestEachPointOfTheFirstHourIsShown(t *testing.T) {
	shown := map[string]bool{}
	for _, section := range strings.Split(mustRead(t, firstHour), "\n## ")[1:] {
		number, _, _ := strings.Cut(section, ".")
		if shown[number] = strings.Contains(section, "```console\n$ "); !shown[number] {
			t.Errorf("point %s has no commands", number)
		}
	}
	for number := range 18 {
		if !shown[strconv.Itoa(number+1)] {
			t.Errorf("point %d has no section in %s", number+1, firstHour)
		}
	}
}

// compilation is a line of make that compiles.
var compilation = regexp.MustCompile(`(?m)^\S*go (build|test) (.*)$`)

// TestNothingIsCompiledTwiceWithOtherFlags compares what make run and make test compile with: packages are cached by
// their flags.
func TestNothingIsCompiledTwiceWithOtherFlags(t *testing.T) {
	out, err := exec.Command("make", "--dry-run", "--directory", mustAbs(t, repository), "run", "test").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := compilation.FindAllStringSubmatch(string(out), -1)
	if len(lines) != 2 {
		t.Fatalf("make run and make test compile with %d commands:\n%s", len(lines), out)
	}
	for _, line := range lines {
		for word := range strings.FieldsSeq(line[2]) {
			if strings.HasPrefix(word, "-") && !slices.Contains([]string{"-v", "-o"}, word) || strings.Contains(word, "=") {
				t.Errorf("go %s has %s: the other command compiles all packages again", line[1], word)
			}
		}
	}
}
