//go:build unix && firsthour

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheFirstHourGoesFromAClone does in a clone of the repository what the first two pages and the 18 points say, with
// the binary that make run builds there. Nothing is downloaded: modules are in the module cache.
func TestTheFirstHourGoesFromAClone(t *testing.T) {
	points := mustAbs(t, firstHour)
	newCloneReader(t).firstHour(mustRead(t, points))
}

// newCloneReader clones the repository. The folder is always the same, because the build cache knows packages by their
// folders: what the last run compiled is not compiled again.
func newCloneReader(t *testing.T) *reader {
	t.Helper()
	root := mustAbs(t, repository)
	keepCaches(t)
	prepare(t)
	clone := cloneOf(t, root)
	t.Chdir(clone)
	return &reader{t: t, repository: clone, clone: clone, built: true}
}

// keepCaches lets go find its caches by variables, since tests have a home of their own, and lets it download nothing.
func keepCaches(t testing.TB) {
	t.Helper()
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOROOT"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv(name, strings.TrimSpace(string(value)))
	}
	t.Setenv("GOPROXY", "off")
}

// cloneOf clones the repository as it was committed, and removes the clone when the test ends.
func cloneOf(t testing.TB, root string) string {
	t.Helper()
	clone := filepath.Join(root, "bin", "first-hour", "canisterd")
	remove := func() {
		if err := os.RemoveAll(filepath.Dir(clone)); err != nil {
			t.Fatal(err)
		}
	}
	remove()
	t.Cleanup(remove)
	if out, err := exec.Command("git", "clone", "--quiet", root, clone).CombinedOutput(); err != nil {
		t.Fatalf("cloning the repository: %v\n%s", err, out)
	}
	return clone
}
