package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t *testing.T) *Folder {
	t.Helper()
	f, err := Open(filepath.Join(t.TempDir(), "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func add(t *testing.T, f *Folder, text string) {
	t.Helper()
	if err := f.Add(text, false); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, f *Folder) ([]Run, []Skipped) {
	t.Helper()
	runs, skipped, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	return runs, skipped
}

// filesIn returns the names of the files in a folder.
func filesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

func TestEqualRunsAreOneFileAndOtherFilesAreLeftAlone(t *testing.T) {
	f := open(t)
	add(t, f, "one")
	add(t, f, "two")
	add(t, f, "one")
	if err := os.WriteFile(filepath.Join(f.path, "notes.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if runs, skipped := read(t, f); len(runs) != 2 || len(skipped) != 0 {
		t.Errorf("the folder has %v, skipped %v", runs, skipped)
	}
}

func TestADamagedFileIsSkippedByItsName(t *testing.T) {
	f := open(t)
	add(t, f, "whole")
	runs, _ := read(t, f)
	for name, text := range map[string]string{runs[0].Name: "who", strings.Repeat("0", 20) + runExtension: strings.Repeat("x", 256<<10+1)} {
		if err := os.WriteFile(filepath.Join(f.path, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runs, skipped := read(t, f)
	if len(runs) != 0 || len(skipped) != 2 {
		t.Fatalf("the folder has %v, skipped %v", runs, skipped)
	}
	for _, s := range skipped {
		want := "its content is not what its name says"
		if strings.HasPrefix(s.Name, "0000") {
			want = "262144"
		}
		if !strings.Contains(s.Reason.Error(), want) {
			t.Errorf("%s is skipped because of %v, want %s", s.Name, s.Reason, want)
		}
	}
}

func TestTheOldestRunsMakeRoomForNewOnes(t *testing.T) {
	f := open(t)
	for n := range 1_056 {
		add(t, f, fmt.Sprint("run ", n))
	}
	if all, err := f.list(); err != nil || len(all) != 1_000 {
		t.Errorf("the folder has %d files, %v", len(all), err)
	}
	if err := f.Add("finding", true); err != nil {
		t.Fatal(err)
	}
	// All other runs are later.
	if err := os.Chtimes(filepath.Join(f.path, hashOf([]byte("finding"))+findingExtension), time.Time{}, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	for n := range 96 {
		add(t, f, fmt.Sprint("later run ", n))
	}
	if runs, _ := read(t, f); len(runs) != 1_000 || !runs[999].Finding || runs[999].Text != "finding" || !strings.HasPrefix(runs[998].Text, "later run ") || runs[998].Finding {
		t.Errorf("the folder has %d files and not its finding behind a later run", len(runs))
	}
	large := open(t)
	for n := range 96 {
		add(t, large, fmt.Sprint(n, strings.Repeat(" ", 256<<10-10)))
	}
	all, err := large.list()
	if err != nil {
		t.Fatal(err)
	}
	bytes := int64(0)
	for _, e := range all {
		bytes += e.size
	}
	if bytes > 16<<20 || bytes < 16<<20-256<<10 {
		t.Errorf("the folder has %d bytes", bytes)
	}
	add(t, f, strings.Repeat("x", 256<<10+1))
	if runs, _ := read(t, f); len(runs) != 1_000 {
		t.Errorf("with a run that is too large, the folder has %d files", len(runs))
	}
}

func TestTwoExplorationsMayUseAFolderAtTheSameTime(t *testing.T) {
	f := open(t)
	var group sync.WaitGroup
	for writer := range 2 {
		own := open(t)
		own.path = f.path
		group.Go(func() {
			for n := range 600 {
				if err := own.Add(fmt.Sprint(writer, " ", n), false); err != nil {
					t.Error(err)
				}
				if n%100 == 0 {
					if _, skipped, err := own.Read(); err != nil || len(skipped) > 0 {
						t.Errorf("skipped %v, %v", skipped, err)
					}
				}
			}
		})
	}
	group.Wait()
	if runs, _ := read(t, f); len(runs) != 1_000 {
		t.Errorf("the folder has %d runs", len(runs))
	}
}
