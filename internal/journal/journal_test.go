package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

func opened(t testing.TB, fs vfs.FS) *journal.Journal {
	t.Helper()
	j, err := journal.Open("state", journal.Options{FS: fs, MemTableBytes: smallTable})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func closed(t testing.TB, j *journal.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func synced(t testing.TB, j *journal.Journal) {
	t.Helper()
	if err := j.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// recordAt returns the content of the record at a position. Some are empty, some are long.
func recordAt(position uint64) []byte {
	return bytes.Repeat([]byte{byte(position)}, int(position*position%1000))
}

// appendSome appends records.
func appendSome(j *journal.Journal, n int) {
	for range n {
		j.Append(recordAt(j.Position()), false)
	}
}

// checkRecords checks the records from a position on, and the number of all records.
func checkRecords(t testing.TB, j *journal.Journal, from, end uint64) {
	t.Helper()
	next := from
	err := j.Records(from, func(position uint64, record []byte) error {
		if position != next || !bytes.Equal(record, recordAt(position)) {
			return fmt.Errorf("record %d has %d bytes, want record %d with %d", position, len(record), next, len(recordAt(next)))
		}
		next++
		return nil
	})
	if err != nil || next != end || j.Position() != end {
		t.Fatalf("the records end at %d, the journal at %d, want %d: %v", next, j.Position(), end, err)
	}
}

func keep(t testing.TB, j *journal.Journal, base bool, content string) journal.Checkpoint {
	t.Helper()
	c, err := j.Keep(journal.Checkpoint{Position: j.Position(), Base: base}, func(w io.Writer, _ *journal.PageFiles) (state [32]byte, err error) {
		_, err = io.WriteString(w, content)
		return state, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRecordsAreThereAgainInTheirOrder(t *testing.T) {
	fs := vfs.NewMem()
	end := uint64(0)
	for i := range 5 {
		j := opened(t, fs)
		checkRecords(t, j, 0, end)
		for range i {
			appendSome(j, 40)
			end += 40
			synced(t, j)
		}
		appendSome(j, 3) // closing commits them
		end += 3
		closed(t, j)
	}
	j := opened(t, fs)
	for from := uint64(0); from < end; from += 7 {
		checkRecords(t, j, from, end)
	}
	closed(t, j)
}

// TestACrashLosesOnlyWhatNoCallerWaitedFor crashes at random moments while many callers append and wait.
func TestACrashLosesOnlyWhatNoCallerWaitedFor(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	fs := vfs.NewCrashableMem()
	acked := uint64(0) // records that Sync reported on disk
	for crash := range 40 {
		j, err := journal.Open("state", journal.Options{FS: fs})
		if err != nil {
			t.Fatalf("after crash %d: %v", crash, err)
		}
		if end := j.Position(); end < acked {
			t.Fatalf("after crash %d there are %d records, and %d were on disk", crash, end, acked)
		}
		checkRecords(t, j, 0, j.Position())
		var waiting sync.WaitGroup
		var mu sync.Mutex
		for range random.IntN(30) {
			mu.Lock()
			appendSome(j, 1+random.IntN(20))
			now := j.Position()
			mu.Unlock()
			waiting.Go(func() {
				if err := j.Sync(t.Context()); err != nil {
					t.Error(err)
				}
				mu.Lock()
				acked = max(acked, now)
				mu.Unlock()
			})
		}
		if random.IntN(2) == 0 {
			waiting.Wait()
		}
		mu.Lock()
		crashed := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: random.IntN(101), RNG: random})
		before := acked
		mu.Unlock()
		waiting.Wait()
		acked = before
		closed(t, j)
		fs = crashed
	}
	if acked < 1000 {
		t.Errorf("only %d records were ever on disk: the test shows little", acked)
	}
}

// TestACrashInAnOpeningLeavesAStoreThatOpens crashes after each change of the disk by Open, in which the store writes a
// new manifest and a marker with its name.
func TestACrashInAnOpeningLeavesAStoreThatOpens(t *testing.T) {
	const clones = 12 // per change: it is random which directory entries survive
	var mu sync.Mutex // guards left and on: the store also works in the background
	var left []*vfs.MemFS
	on, random := false, rand.New(rand.NewPCG(3, 4))
	watch := func(now bool) {
		mu.Lock()
		defer mu.Unlock()
		on = now
	}
	under := vfs.NewCrashableMem()
	fs := errorfs.Wrap(under, errorfs.InjectorFunc(func(op errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if on && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			for range clones {
				left = append(left, under.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: random}))
			}
		}
		return nil
	}))
	j := opened(t, fs)
	appendSome(j, 20)
	synced(t, j)
	closed(t, j)
	watch(true)
	j = opened(t, fs)
	watch(false)
	closed(t, j)
	if len(left) < 10*clones {
		t.Fatalf("an opening makes %d changes of the disk: the test shows little", len(left)/clones)
	}
	for at, disk := range left {
		j, err := journal.Open("state", journal.Options{FS: disk})
		if err != nil {
			t.Fatalf("after change %d: %v", at/clones, err)
		}
		checkRecords(t, j, 0, 20)
		closed(t, j)
	}
}

func TestTheLastTwoCheckpointsAreKeptWithTheRecordsAfterTheOlder(t *testing.T) {
	fs := vfs.NewCrashableMem()
	j := opened(t, fs)
	for i := range 4 {
		appendSome(j, 100)
		synced(t, j)
		keep(t, j, false, fmt.Sprintf("network %d", i))
	}
	appendSome(j, 50)
	synced(t, j)
	crashed := fs.CrashClone(vfs.CrashCloneCfg{})
	closed(t, j)
	j = opened(t, crashed)
	all := j.Checkpoints()
	if len(all) != 2 || all[0].Position != 300 || all[1].Position != 400 {
		t.Fatalf("the checkpoints are %+v", all)
	}
	for i := range all {
		err := j.Read(&all[i], func(r io.Reader, _ *journal.PageFiles) error {
			content, err := io.ReadAll(r)
			if want := fmt.Sprintf("network %d", i+2); string(content) != want {
				t.Errorf("checkpoint %d says %q, want %q", i, content, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	checkRecords(t, j, 300, 450)
	files, err := crashed.List("state")
	if err != nil || len(files) != 8 { // FORMAT, lock, store, end, two checkpoints and two sidecars
		t.Errorf("the directory has %v: %v", files, err)
	}
	closed(t, j)
}

func TestNothingBeforeABaseIsKept(t *testing.T) {
	fs := vfs.NewMem()
	j := opened(t, fs)
	appendSome(j, 10)
	synced(t, j)
	keep(t, j, false, "one")
	appendSome(j, 10)
	synced(t, j)
	keep(t, j, false, "one, later")
	keep(t, j, true, "another")
	keep(t, j, false, "one, again") // is as old
	appendSome(j, 5)
	closed(t, j)
	j = opened(t, fs)
	if all := j.Checkpoints(); len(all) != 1 || !all[0].Base || all[0].Position != 20 {
		t.Errorf("the checkpoints are %+v", all)
	}
	checkRecords(t, j, 20, 25)
	closed(t, j)
}

// TestACrashInACheckpointLeavesTheOneBefore crashes after each change of the disk that a checkpoint makes.
func TestACrashInACheckpointLeavesTheOneBefore(t *testing.T) {
	for at := range int32(40) {
		under := vfs.NewCrashableMem()
		var crashed *vfs.MemFS
		left := int32(1 << 30)
		fs := errorfs.Wrap(under, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
				if left--; left == 0 {
					crashed = under.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rand.New(rand.NewPCG(uint64(at), 1))})
				}
			}
			return nil
		}))
		j := opened(t, fs)
		appendSome(j, 10)
		synced(t, j)
		keep(t, j, false, "first")
		appendSome(j, 10)
		synced(t, j)
		left = at + 1
		keep(t, j, false, "second")
		closed(t, j)
		if crashed == nil {
			continue
		}
		j = opened(t, crashed)
		all := j.Checkpoints()
		newest := all[len(all)-1]
		err := j.Read(&newest, func(r io.Reader, _ *journal.PageFiles) error {
			content, err := io.ReadAll(r)
			if want := map[uint64]string{10: "first", 20: "second"}[newest.Position]; string(content) != want {
				t.Errorf("change %d: the checkpoint at %d says %q", at, newest.Position, content)
			}
			return err
		})
		if err != nil {
			t.Errorf("change %d: %v", at, err)
		}
		checkRecords(t, j, newest.Position, 20)
		closed(t, j)
	}
}

func TestAJournalWhoseDiskFailsRefusesRecords(t *testing.T) {
	broken, on := errors.New("input/output error"), false
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if on && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return broken
		}
		return nil
	}))
	j := opened(t, fs)
	appendSome(j, 10)
	synced(t, j)
	on = true
	appendSome(j, 10)
	if err := j.Sync(t.Context()); err == nil {
		t.Error("records were kept on a disk that fails")
	}
	if _, err := j.Keep(journal.Checkpoint{Position: 10}, func(io.Writer, *journal.PageFiles) (state [32]byte, err error) { return state, nil }); err == nil {
		t.Error("a checkpoint was kept after the failure")
	}
	if err := j.Close(); err == nil {
		t.Error("closing the journal says nothing of the failure")
	}
}

func TestADirectoryThatCannotBeUsedIsRefusedWithItsReason(t *testing.T) {
	write := func(fs vfs.FS, name, content string) {
		t.Helper()
		file, err := fs.Create(name, vfs.WriteCategoryUnspecified)
		if err == nil {
			_, err = file.Write([]byte(content))
		}
		if err = errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for what, c := range map[string]struct {
		prepare func(vfs.FS)
		want    any
	}{
		"a newer version":    {func(fs vfs.FS) { write(fs, "state/FORMAT", "canisterd state directory, version 2\n") }, new(*journal.NewerError)},
		"another folder":     {func(fs vfs.FS) { write(fs, "state/letter.txt", "Dear") }, new(*journal.ForeignError)},
		"a FORMAT of others": {func(fs vfs.FS) { write(fs, "state/FORMAT", "LevelDB") }, new(*journal.DamagedError)},
	} {
		fs := vfs.NewMem()
		if err := fs.MkdirAll("state", 0o700); err != nil {
			t.Fatal(err)
		}
		c.prepare(fs)
		if j, err := journal.Open("state", journal.Options{FS: fs}); err == nil {
			t.Errorf("%s: it was opened", what)
			closed(t, j)
		} else if !errors.As(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestADirectoryIsOpenOnce(t *testing.T) {
	dir := t.TempDir()
	j, err := journal.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var locked *journal.LockedError
	if _, err := journal.Open(dir, journal.Options{}); !errors.As(err, &locked) {
		t.Errorf("opening it a second time: %v", err)
	}
	closed(t, j)
	if j, err = journal.Open(dir, journal.Options{}); err != nil {
		t.Fatal(err)
	}
	closed(t, j)
}

func TestADamagedCheckpointIsNamed(t *testing.T) {
	fs := vfs.NewMem()
	j := opened(t, fs)
	c := keep(t, j, false, "a network of some bytes")
	file, err := fs.OpenReadWrite("state/"+c.File, vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = file.WriteAt([]byte("N"), 2)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	var damaged *journal.DamagedError
	if err := j.Read(&c, func(io.Reader, *journal.PageFiles) error { return nil }); !errors.As(err, &damaged) || damaged.File != c.File {
		t.Errorf("reading it: %v", err)
	}
	closed(t, j)
}

func TestValuesAreKept(t *testing.T) {
	fs := vfs.NewCrashableMem()
	j := opened(t, fs)
	for _, value := range []string{"one", "two"} {
		if err := j.Put("spec", []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	crashed := fs.CrashClone(vfs.CrashCloneCfg{})
	closed(t, j)
	j = opened(t, crashed)
	if value, err := j.Get("spec"); err != nil || string(value) != "two" {
		t.Errorf("the value is %q: %v", value, err)
	}
	if value, err := j.Get("nothing"); err != nil || value != nil {
		t.Errorf("a value that was never kept is %q: %v", value, err)
	}
	closed(t, j)
}

// A checkpoint removed every file that was not finished, and with them the snapshot that was being written beside it.
// The soak test found it.
func TestACheckpointLeavesTheFilesThatAreBeingWrittenBesideIt(t *testing.T) {
	fs := vfs.NewMem()
	j := opened(t, fs)
	err := j.PutFile("snapshot", func(w io.Writer) error {
		keep(t, j, false, "a checkpoint")
		_, err := io.WriteString(w, "a snapshot")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	file, err := j.OpenFile("snapshot")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err != nil || string(content) != "a snapshot" {
		t.Fatalf("%q, %v", content, err)
	}
}

func TestAFileThatWasNotFinishedIsRemovedAtTheNextStart(t *testing.T) {
	fs := vfs.NewMem()
	closed(t, opened(t, fs))
	for _, name := range []string{"state/file-snapshot.new", "state/checkpoint-1.new", "state/checkpoint-1"} {
		file, err := fs.Create(name, vfs.WriteCategoryUnspecified)
		if err = errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, opened(t, fs))
	names, err := fs.List("state")
	slices.Sort(names)
	if want := []string{"FORMAT", "end", "lock", "store"}; err != nil || !slices.Equal(names, want) {
		t.Fatalf("%q, %v, want %q", names, err, want)
	}
}
