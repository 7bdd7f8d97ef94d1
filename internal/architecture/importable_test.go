package architecture

import (
	"slices"
	"strings"
	"testing"
)

// mostImportable limits the packages that other modules can import: each of them is a promise, or looks like one.
const mostImportable = 25

func TestFewPackagesCanBeImported(t *testing.T) {
	var importable []string
	for _, s := range sources(t) {
		if s.test() || slices.ContainsFunc(strings.Split(s.dir(), "/"), forOurselves) || slices.Contains(importable, s.dir()) {
			continue
		}
		importable = append(importable, s.dir())
	}
	if len(importable) > mostImportable || len(importable) < 10 {
		t.Errorf("%d packages can be imported, want at most %d: move one below an internal folder: %s", len(importable), mostImportable, strings.Join(importable, ", "))
	}
}

// forOurselves reports whether a folder has commands, examples, support for tests, or packages that Go lets nobody else
// import.
func forOurselves(folder string) bool {
	return slices.Contains([]string{"internal", "cmd", "test", "examples"}, folder) || strings.HasSuffix(folder, "test")
}
