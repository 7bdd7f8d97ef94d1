package wasm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// emptyCache makes a cache folder.
func emptyCache(t *testing.T) *diskCache {
	t.Helper()
	d, err := openDiskCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// fileOfAge writes a file that was last changed some time ago, and returns its path.
func fileOfAge(t *testing.T, age time.Duration, content string, path ...string) string {
	t.Helper()
	name, at := filepath.Join(path...), time.Now().Add(-age)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(content), 0o600), os.Chtimes(name, at, at)); err != nil {
		t.Fatal(err)
	}
	return name
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// tidiedAgo records that a folder was tidied some time ago, and that so many units were added since.
func tidiedAgo(t *testing.T, d *diskCache, age time.Duration, units int) {
	t.Helper()
	record := time.Now().Add(-age).UTC().Format(time.RFC3339) + "\n" + strings.Repeat(string(addedMark), units)
	fileOfAge(t, 0, record, d.root, tidyRecord)
}

func TestACacheFolderIsTidiedOnceADayOrAfterAGibibyte(t *testing.T) {
	d, now := emptyCache(t), time.Now()
	if !d.tidyIsDue(now) {
		t.Error("a folder that was never tidied is not due")
	}
	fileOfAge(t, 0, "no time\n", d.root, tidyRecord)
	if !d.tidyIsDue(now) {
		t.Error("a folder with a damaged record is not due")
	}
	for _, c := range []struct {
		age   time.Duration
		units int
		due   bool
	}{
		{0, 0, false},
		{23 * time.Hour, 0, false},
		{25 * time.Hour, 0, true},
		{-23 * time.Hour, 0, false},
		{-25 * time.Hour, 0, true}, // the clock was set back
		{0, 1023, false},
		{0, 1024, true},
	} {
		tidiedAgo(t, d, c.age, c.units)
		if due := d.tidyIsDue(now); due != c.due {
			t.Errorf("%v and %d units after it was tidied, a folder is due: %t, want %t", c.age, c.units, due, c.due)
		}
	}
	d.tidy()
	if d.tidyIsDue(now) {
		t.Error("a folder that was tidied is due")
	}
}

func TestEachAddedFileIsAtLeastOneUnit(t *testing.T) {
	d := emptyCache(t)
	d.recordAdded(1)
	if there(filepath.Join(d.root, tidyRecord)) {
		t.Error("a folder that was never tidied has a record")
	}
	for size, want := range map[int64]int{0: 1, 1: 1, 1 << 20: 1, 1<<20 + 1: 2, 5 << 20: 5, 8 << 30: 1024} {
		tidiedAgo(t, d, 0, 0)
		d.recordAdded(size)
		record, err := os.ReadFile(filepath.Join(d.root, tidyRecord))
		if got := strings.Count(string(record), string(addedMark)); err != nil || got != want {
			t.Errorf("a file of %d bytes adds %d units, want %d (%v)", size, got, want, err)
		}
	}
}

func TestWhatIsAddedToACacheFolderIsRecorded(t *testing.T) {
	file, dir := exported(t), t.TempDir()
	e := newTestEngine(t, Config{CacheDir: dir})
	e.working.Wait()
	units := func() int {
		record, err := os.ReadFile(filepath.Join(dir, tidyRecord))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(record), string(addedMark))
	}
	if got := units(); got != 0 {
		t.Errorf("an empty folder has %d units", got)
	}
	warm(t, dir)
	if got := units(); got != 2 {
		t.Errorf("a module and its compiled code are %d units, want 2", got)
	}
	warm(t, dir)
	if got := units(); got != 2 {
		t.Errorf("a warm install made %d units of 2", got)
	}
	tidiedAgo(t, e.disk, 0, 0)
	for _, path := range files(t, dir) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ImportCache(dir, strings.NewReader(string(file))); err != nil {
		t.Fatal(err)
	}
	if got := units(); got != 2 {
		t.Errorf("importing a module and its compiled code made %d units, want 2", got)
	}
}

func TestAnEngineTidiesAFolderThatIsDueUntilItIsClosed(t *testing.T) {
	d := emptyCache(t)
	orphan := func() string { return fileOfAge(t, 2*time.Hour, "", d.root, "wazero-dev", "code") }
	open := func() {
		e, err := NewEngine(Config{CacheDir: d.root})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		when  string
		begin func()
		left  bool
	}{
		{"never tidied", func() {}, false},
		{"just tidied", func() {}, true},
		{"tidied before yesterday", func() { tidiedAgo(t, d, 48*time.Hour, 0) }, false},
		{"much added", func() { tidiedAgo(t, d, 0, 1024) }, false},
	} {
		path := orphan()
		c.begin()
		open()
		if there(path) != c.left {
			t.Errorf("%s: the file is there: %t, want %t", c.when, !c.left, c.left)
		}
	}
}

func TestOnlyWhatIsAbandonedIsRemoved(t *testing.T) {
	d := emptyCache(t)
	want := map[string]bool{
		fileOfAge(t, 59*time.Minute, "", d.root, "wazero-dev", "young"):        true, // a compilation may have replaced it
		fileOfAge(t, 61*time.Minute, "", d.root, "wazero-dev", "old"):          false,
		fileOfAge(t, 0, "", d.dir, "empty"+receiptEnd):                         true,
		fileOfAge(t, 0, "no receipt", d.dir, "damaged"+receiptEnd):             true, // check removes it
		fileOfAge(t, 0, "", d.root, scratchPrefix+"young", "code"):             true,
		fileOfAge(t, 0, "", d.root, scratchPrefix+"old", "code"):               false,
		fileOfAge(t, 48*time.Hour, "", d.dir, strings.Repeat("0", 64)):         true,
		fileOfAge(t, 48*time.Hour, "", d.root, "another program's", "content"): true,
	}
	for name, age := range map[string]time.Duration{"young": 59 * time.Minute, "old": 61 * time.Minute} {
		at := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(d.root, scratchPrefix+name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	d.tidy()
	for path, left := range want {
		if there(path) != left {
			t.Errorf("%s is there: %t, want %t", path, !left, left)
		}
	}
}

func TestFilesThatWereReplacedAfterTheyWereListedAreKept(t *testing.T) {
	d := emptyCache(t)
	path := fileOfAge(t, time.Hour, "before", d.dir, "module")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	before := listedFile{path, info}
	if err := d.replace(path, []byte("after")); err != nil {
		t.Fatal(err)
	}
	before.remove()
	if !there(path) {
		t.Error("the new file was removed")
	}
	if info, err = os.Stat(path); err != nil {
		t.Fatal(err)
	}
	listedFile{path, info}.remove()
	if there(path) {
		t.Error("the listed file was not removed")
	}
}

// The compiled code is old, so that only its receipt keeps it.
func TestWhatIsAddedWhileAFolderIsTidiedIsKept(t *testing.T) {
	d := emptyCache(t)
	const modules = 200
	name := func(i int) string { return fmt.Sprintf("%064x", i) }
	staged := make([]string, modules)
	for i := range staged {
		staged[i] = fileOfAge(t, 2*time.Hour, name(i), d.root, scratchPrefix+name(i), "wazero-dev", name(i))
	}
	done := make(chan struct{})
	var group sync.WaitGroup
	for range 2 { // as two processes
		group.Go(func() {
			for {
				d.tidy()
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i, path := range staged {
		if err := d.adopt([32]byte{byte(i)}, path); err != nil {
			t.Error(err)
		}
	}
	close(done)
	group.Wait()
	for i := range modules {
		if !there(filepath.Join(d.root, "wazero-dev", name(i))) || !d.has([32]byte{byte(i)}) {
			t.Errorf("module %d or its receipt was removed", i)
		}
	}
}
