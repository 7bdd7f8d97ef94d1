package architecture

import (
	"go/ast"
	"strings"
	"testing"
)

// withoutRaceDetector are the packages that start goroutines and whose tests run without the race detector in make
// check, with the reason.
var withoutRaceDetector = map[string]string{
	"cmd/canisterd": "its tests run commands and pages, most of them as processes",
}

// programs are folders of programs, whose goroutines serve one run.
var programs = []string{"test/hostile", "test/largeclone", "test/mutants", "test/soak", "test/torture", "examples", "test"}

func TestPackagesThatStartGoroutinesAreTestedUnderTheRaceDetector(t *testing.T) {
	tested := makeList(t, "RACE_PACKAGES")
	for _, s := range sources(t) {
		if s.test() || forTests.MatchString(s.dir()) || s.dir() == "internal/eventually" || under(s.dir(), programs) || withoutRaceDetector[s.dir()] != "" || listed(s.dir(), tested) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s:%d starts a goroutine, and RACE_PACKAGES of the Makefile does not list ./%s", s.path, s.line(g.Pos()), s.dir())
			}
			return true
		})
	}
}

// under reports whether a folder is one of others, or in one of them.
func under(dir string, others []string) bool {
	for _, other := range others {
		if dir == other || strings.HasPrefix(dir, other+"/") {
			return true
		}
	}
	return false
}

// listed reports whether patterns of the go command match a folder.
func listed(dir string, patterns []string) bool {
	for _, pattern := range patterns {
		name, all := strings.CutSuffix(strings.TrimPrefix(pattern, "./"), "/...")
		if dir == name || all && strings.HasPrefix(dir, name+"/") {
			return true
		}
	}
	return false
}

// TestPackagesWhoseTestsDoLessUnderTheRaceDetectorAlsoRunWithoutIt looks for files that are built without the race
// detector only.
func TestPackagesWhoseTestsDoLessUnderTheRaceDetectorAlsoRunWithoutIt(t *testing.T) {
	raced, again := makeList(t, "RACE_PACKAGES"), makeList(t, "REDUCED_PACKAGES")
	for _, s := range sources(t) {
		for _, group := range s.file.Comments {
			for _, comment := range group.List {
				if comment.Text == "//go:build !race" && listed(s.dir(), raced) && !listed(s.dir(), again) {
					t.Errorf("%s is left out under the race detector, and REDUCED_PACKAGES of the Makefile does not list ./%s", s.path, s.dir())
				}
			}
		}
	}
}
