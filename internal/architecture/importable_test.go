package architecture

import (
	"slices"
	"strings"
	"testing"
)

// mostImportable limits the number of packages that other modules can import: users take each of them for public API. Three of
// them are the host of components, which is of use without canisters.
const mostImportable = 25 + 3

func TestFewPackagesCanBeImported(t *testing.T) {
	var importable []string
	for _, s := range sources(t) {
		if s.test() || slices.ContainsFunc(strings.Split(s.dir(), "/"), private) || slices.Contains(importable, s.dir()) {
			continue
		}
		importable = append(importable, s.dir())
	}
	if len(importable) > mostImportable || len(importable) < 10 {
		t.Errorf("%d packages can be imported, want at most %d: move one below an internal folder: %s", len(importable), mostImportable, strings.Join(importable, ", "))
	}
}

// private reports whether the packages below a folder are commands, pages, examples, test support or internal.
func private(folder string) bool {
	return slices.Contains([]string{"internal", "cmd", "docs", "test", "examples"}, folder) || strings.HasSuffix(folder, "test")
}
