package wasm

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"
)

// program writes an executable file with a build ID at a time.
func program(t *testing.T, id string, at time.Time) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("\x7fELF\x00\xff Go build ID: \""+id+"\"\n \xff"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProgramsWithTheSameRewriterShareModules(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	of := func(version, sum string, replaced *debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{GoVersion: "go1.26", Deps: []*debug.Module{{Path: ownModule, Version: version, Sum: sum, Replace: replaced}}}
	}
	own := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Path: ownModule, Version: "(devel)"}}
	for name, test := range map[string]struct {
		a, b         *debug.BuildInfo
		idOfA, idOfB string
		laterB       time.Duration
		same         bool
	}{
		"a test linked again":                         {own, own, "1", "1", time.Hour, true},
		"a test with other code":                      {own, own, "1", "2", 0, false},
		"a test of a version with other code":         {of("v1.0.0", "h1:x", nil), of("v1.0.0", "h1:x", nil), "1", "2", 0, true},
		"a test of another version":                   {of("v1.0.0", "h1:x", nil), of("v1.0.1", "h1:y", nil), "1", "1", 0, false},
		"a test with sources of the user's":           {of("v1.0.0", "h1:x", &debug.Module{Path: "../canisterd"}), of("v1.0.0", "h1:x", &debug.Module{Path: "../canisterd"}), "1", "2", 0, false},
		"programs without a build ID, at other times": {own, own, "", "", time.Hour, false},
	} {
		a, b := fingerprintOf(test.a, program(t, test.idOfA, now)), fingerprintOf(test.b, program(t, test.idOfB, now.Add(test.laterB)))
		if (a == b) != test.same {
			t.Errorf("%s: equal fingerprints are %v, want %v", name, a == b, test.same)
		}
	}
}
