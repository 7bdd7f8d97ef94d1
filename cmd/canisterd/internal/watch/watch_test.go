package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/internal/eventually"
)

func write(t *testing.T, folder, name, content string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func newWatcher(t *testing.T, folder string) *Watcher {
	t.Helper()
	w, err := New(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *Watcher) files(t *testing.T, set Set) Files {
	t.Helper()
	all, err := w.Scan(set)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// names returns the paths of files, with spaces between them.
func names(f Files) string { return strings.Join(f.Changed(nil), " ") }

func TestPatternsSelectFiles(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{
		"canisterd.yaml", "src/a.mo", "src/b.rs", "src/deep/c.mo", "src/deep/er/d.mo", "lib/e.mo", "out/a.wasm", "src/.a.mo.swp", "src/a.mo~", "src/4913",
		"src/target/x.mo", "src/node_modules/y.mo", ".git/HEAD", ".canisterd/build/a.wasm",
	} {
		write(t, folder, name, name)
	}
	w := newWatcher(t, folder)
	for patterns, want := range map[string]string{
		"src":                        "src/a.mo src/b.rs src/deep/c.mo src/deep/er/d.mo",
		"src/*.mo":                   "src/a.mo",
		"src/**/*.mo":                "src/a.mo src/deep/c.mo src/deep/er/d.mo",
		"**/*.mo":                    "lib/e.mo src/a.mo src/deep/c.mo src/deep/er/d.mo",
		"*/deep":                     "src/deep/c.mo src/deep/er/d.mo",
		"src/d*/?.mo lib":            "lib/e.mo src/deep/c.mo",
		"./src/deep/":                "src/deep/c.mo src/deep/er/d.mo",
		".":                          "canisterd.yaml lib/e.mo src/a.mo src/b.rs src/deep/c.mo src/deep/er/d.mo",
		"src/target":                 "src/target/x.mo",
		"missing src/no/*.mo a.mo/x": "",
		"src src/a.mo":               "src/a.mo src/b.rs src/deep/c.mo src/deep/er/d.mo",
	} {
		if got := names(w.files(t, Set{Patterns: strings.Fields(patterns), Except: []string{"out/a.wasm"}})); got != want {
			t.Errorf("%s selects %s, want %s", patterns, got, want)
		}
	}
	if got := names(w.files(t, Set{Files: []string{".canisterd/build/a.wasm", "src/a.mo~", "none"}})); got != ".canisterd/build/a.wasm src/a.mo~" {
		t.Errorf("files that are named are %s", got)
	}
}

func TestContentCountsAndNotTheTimeOfAFile(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"same", "other", "gone", "rewritten"} {
		write(t, folder, name, name)
	}
	w, set := newWatcher(t, folder), Set{Patterns: []string{"."}}
	before := w.files(t, set)
	write(t, folder, "other", "content")
	write(t, folder, "new", "new")
	write(t, folder, "copy", "rewritten")
	for _, err := range []error{os.Remove(filepath.Join(folder, "gone")), os.Rename(filepath.Join(folder, "copy"), filepath.Join(folder, "rewritten"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	now := w.files(t, set)
	if got := now.Changed(before); !slices.Equal(got, []string{"gone", "new", "other"}) {
		t.Errorf("changed: %v", got)
	}
	if got := now.Rewritten(before); !slices.Equal(got, []string{"rewritten"}) {
		t.Errorf("rewritten: %v", got)
	}
	if again := w.files(t, set); len(again.Changed(now))+len(again.Rewritten(now)) > 0 {
		t.Errorf("without a change, %v and %v changed", again.Changed(now), again.Rewritten(now))
	}
}

// TestEachChangeIsNoticed makes changes as editors, version control and build tools do, and waits for each.
func TestEachChangeIsNoticed(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "src/main.mo", "0")
	w, set := newWatcher(t, folder), Set{Files: []string{"out/module.wasm"}, Patterns: []string{"src", "later/**/*.mo"}}
	before := w.files(t, set)
	in := func(name string) string { return filepath.Join(folder, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, change := range []struct {
		what string
		do   func()
	}{
		{"a write in place", func() { write(t, folder, "src/main.mo", "1") }},
		{"a rename over the file", func() { write(t, folder, "src/.new", "2"); must(os.Rename(in("src/.new"), in("src/main.mo"))) }},
		{"a write after the rename", func() { write(t, folder, "src/main.mo", "3") }},
		{"removal and creation", func() { must(os.Remove(in("src/main.mo"))); write(t, folder, "src/main.mo", "4") }},
		{"a new directory with a file", func() { write(t, folder, "src/new/deep/a.mo", "5") }},
		{"a write in the new directory", func() { write(t, folder, "src/new/deep/a.mo", "6") }},
		{"a directory that a pattern begins with", func() { write(t, folder, "later/x/b.mo", "7") }},
		{"a module in a directory that was not there", func() { write(t, folder, "out/module.wasm", "8") }},
		{"a directory in place of another", func() {
			write(t, folder, "other/main.mo", "9")
			must(os.Rename(in("src"), in("old")))
			must(os.Rename(in("other"), in("src")))
		}},
		{"a write in that directory", func() { write(t, folder, "src/main.mo", "10") }},
		{"removal of the directory", func() { must(os.RemoveAll(in("src"))) }},
		{"the directory again", func() { write(t, folder, "src/main.mo", "11") }},
	} {
		change.do()
		var now Files
		for now = w.files(t, set); len(now.Changed(before)) == 0; now = w.files(t, set) {
			eventually.Receive(t, change.what, w.Changes())
		}
		before = now
	}
}

// TestNoContentIsMissedWhileAFileIsWrittenAllTheTime compares the last content that is seen with the last one written.
func TestNoContentIsMissedWhileAFileIsWrittenAllTheTime(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "src/main.mo", "")
	w, set := newWatcher(t, folder), Set{Patterns: []string{"src"}}
	w.files(t, set)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := range 500 {
			name := fmt.Sprintf("src/%d.mo", i%7)
			if i%3 == 0 {
				name = "src/main.mo"
			}
			write(t, folder, name, fmt.Sprint(i))
		}
	}()
	last := func() Files { return newWatcher(t, folder).files(t, set) }
	scans := 0
	for ended := false; !ended; scans++ {
		eventually.Receive(t, "a change", w.Changes())
		seen := w.files(t, set)
		select {
		case <-written:
			ended = len(last().Changed(seen)) == 0
		default:
		}
	}
	if scans == 0 {
		t.Error("nothing was seen")
	}
}

func TestASetWithTooManyFilesIsRefused(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "a/b", "c")
	s := &scan{folder: folder, set: Set{Patterns: []string{"a"}}, watch: func(string) error { return nil }, found: Files{}, visited: map[string]bool{}}
	for i := range maxFiles {
		s.found[fmt.Sprint(i)] = File{}
	}
	if err := s.all(); err == nil || !strings.Contains(err.Error(), "a: it selects more than 20000 files: select fewer") {
		t.Errorf("%v", err)
	}
}

func TestAWatcherThatPollsTellsAtEachIntervalToLookAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		write(t, folder, "src/a.mo", "a")
		w := NewPolling(folder, 3*time.Second)
		set := Set{Patterns: []string{"src"}}
		before, begun := w.files(t, set), time.Now()
		for round := 1; round <= 2; round++ {
			write(t, folder, "src/a.mo", fmt.Sprint("a", round))
			<-w.Changes()
			now := w.files(t, set)
			if got := now.Changed(before); !slices.Equal(got, []string{"src/a.mo"}) || time.Since(begun) != time.Duration(round)*3*time.Second {
				t.Errorf("after %s, %v has changed", time.Since(begun), got)
			}
			before = now
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
}
