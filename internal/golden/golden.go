package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what tests say now into their golden files and pages, to be reviewed as a diff")

// Rewriting reports whether the files are written, not compared.
func Rewriting() bool { return *rewrite }

// Read returns the text of a file, with Unix line endings.
func Read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// Compare compares a text with a file; with -rewrite it writes the file.
func Compare(t testing.TB, path, got string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := Read(t, path); got != want {
		t.Errorf("%s differs (-rewrite, then review the diff): %s", path, FirstDifference(want, got))
	}
}

// shownLines is the number of lines of a text in the report of a difference.
const shownLines = 5

// FirstDifference describes the first difference between two texts; empty if they are the same.
func FirstDifference(want, got string) string {
	if want == got {
		return ""
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	at := 0
	for at < min(len(w), len(g)) && w[at] == g[at] {
		at++
	}
	part := func(lines []string) string { return strings.Join(lines[at:min(at+shownLines, len(lines))], "\n") }
	return fmt.Sprintf("line %d\ngot:\n%s\nwant:\n%s", at+1, part(g), part(w))
}

// Transcripts runs play for every transcript of a folder (*.txt) in a separate test, and compares the transcript with
// the result: the transcript with the present output.
func Transcripts(t *testing.T, folder string, play func(t *testing.T, text string) string) {
	t.Helper()
	each(t, folder, func(t *testing.T, path string) { Compare(t, path, play(t, Read(t, path))) })
}

// each runs a test for every file of a folder, by absolute path: a test may change the current folder. If the tests share
// nothing, they call t.Parallel.
func each(t *testing.T, folder string, test func(t *testing.T, path string), excluded ...string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts in %s: %v", folder, err)
	}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		if slices.Contains(excluded, name) {
			continue
		}
		t.Run(name, func(t *testing.T) { test(t, path) })
	}
}
