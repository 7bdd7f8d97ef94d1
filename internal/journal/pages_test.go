package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// memory is a memory and its place in a page file.
type memory struct {
	content []byte
	file    string
	offset  int64
}

// keepMemories makes a checkpoint of memories: it keeps those in a page file, and writes the others.
func keepMemories(t testing.TB, j *journal.Journal, memories ...*memory) journal.Checkpoint {
	t.Helper()
	appendSome(j, 10)
	synced(t, j)
	c, err := j.Keep(journal.Checkpoint{Position: j.Position()}, func(w io.Writer, pages *journal.PageFiles) (state [32]byte, err error) {
		for _, m := range memories {
			file, offset, err := "", int64(0), error(nil)
			if m.file != "" {
				file, offset, err = pages.Keep(m.file, m.offset, int64(len(m.content)))
			}
			if file == "" && err == nil {
				file, offset, err = pages.Put(bytes.Clone(m.content))
			}
			if err != nil {
				return state, err
			}
			m.file, m.offset = file, offset
		}
		_, err = fmt.Fprintf(w, "%d memories", len(memories))
		return state, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkMemories reads the memories of a checkpoint.
func checkMemories(t testing.TB, j *journal.Journal, c *journal.Checkpoint, memories ...*memory) {
	t.Helper()
	err := j.Read(c, func(_ io.Reader, pages *journal.PageFiles) error {
		for i, m := range memories {
			file, err := pages.Open(m.file)
			if err != nil {
				return err
			}
			content := make([]byte, len(m.content))
			if _, err := file.ReadAt(content, m.offset); err != nil || !bytes.Equal(content, m.content) {
				t.Errorf("memory %d has other bytes: %v", i, err)
			}
			if err := file.Close(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// pageFiles returns the names of the page files in the directory.
func pageFiles(t testing.TB, fs vfs.FS) (names []string) {
	t.Helper()
	all, err := fs.List("state")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if strings.HasPrefix(name, "pages-") {
			names = append(names, name)
		}
	}
	return names
}

func memories(n, size int) (all []*memory) {
	for i := range n {
		all = append(all, &memory{content: bytes.Repeat([]byte{byte(i + 1)}, size)})
	}
	return all
}

func TestAMemoryThatDidNotChangeIsNotWrittenAgain(t *testing.T) {
	fs := vfs.NewMem()
	j := opened(t, fs)
	all := memories(4, 10_000)
	first := keepMemories(t, j, all...)
	all[3] = &memory{content: []byte("changed")}
	second := keepMemories(t, j, all...)
	if len(second.Pages) != 2 || second.Pages[0].Bytes != 7 || second.Pages[1].Name != first.Pages[0].Name || second.Pages[1].Used != 30_000 {
		t.Errorf("the second checkpoint has %+v after %+v", second.Pages, first.Pages)
	}
	closed(t, j)
	j = opened(t, fs)
	kept := j.Checkpoints()
	checkMemories(t, j, &kept[1], all...)
	if h := j.Check(); len(h.Damaged) > 0 {
		t.Error(h.Damaged)
	}
	closed(t, j)
}

func TestAPageFileThatIsMostlyUnusedIsLeftAndRemoved(t *testing.T) {
	fs := vfs.NewMem()
	j := opened(t, fs)
	all := memories(8, 300_000)
	old := keepMemories(t, j, all...).Pages[0].Name
	for i := range 5 {
		all[i] = &memory{content: []byte("changed")}
	}
	keepMemories(t, j, all...) // three of eight are needed: the file is left with the next
	for range 3 {
		c := keepMemories(t, j, all...)
		checkMemories(t, j, &c, all...)
	}
	if names := pageFiles(t, fs); len(names) == 0 || len(names) > 3 {
		t.Errorf("page files: %q", names)
	} else if bytes.Contains([]byte(strings.Join(names, " ")), []byte(old)) {
		t.Errorf("%s is still there", old)
	}
	closed(t, j)
}

func TestACheckpointHasEightPageFilesAtMost(t *testing.T) {
	fs := vfs.NewMem()
	j := opened(t, fs)
	all := memories(1, 100_000)
	most := 0
	var c journal.Checkpoint
	for i := range 40 {
		all = append(all, &memory{content: bytes.Repeat([]byte{byte(i)}, 10_000)})
		c = keepMemories(t, j, all...)
		most = max(most, len(c.Pages))
	}
	if most != 8 {
		t.Errorf("one of 40 checkpoints has %d page files, and none has more; want 8", most)
	}
	checkMemories(t, j, &c, all...)
	if names := pageFiles(t, fs); len(names) > 16 {
		t.Errorf("%d page files of two checkpoints", len(names))
	}
	closed(t, j)
}

func TestAnOpenPageFileCanBeReadAfterItWasRemoved(t *testing.T) {
	fs := vfs.NewMem()
	j := opened(t, fs)
	all := memories(1, 1000)
	c := keepMemories(t, j, all...)
	var file interface {
		io.ReaderAt
		io.Closer
	}
	err := j.Read(&c, func(_ io.Reader, pages *journal.PageFiles) (err error) {
		file, err = pages.Open(all[0].file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		keepMemories(t, j, &memory{content: []byte("another")})
	}
	closed(t, j)
	content := make([]byte, 1000)
	if _, err := file.ReadAt(content, all[0].offset); err != nil || !bytes.Equal(content, all[0].content) {
		t.Errorf("it has other bytes: %v", err)
	}
	if err := errors.Join(file.Close(), file.Close()); err != nil {
		t.Error(err)
	}
}

func TestABaseHasThePagesOfTheDirectoryThatItGoesOnFrom(t *testing.T) {
	fs := vfs.NewMem()
	j := opened(t, fs)
	all := memories(4, 10_000)
	keepMemories(t, j, all...)
	fork, err := journal.Open("fork", journal.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	fork.Adopt(j)
	closed(t, j)
	if err := fs.RemoveAll("state"); err != nil {
		t.Fatal(err)
	}
	all[0] = &memory{content: []byte("changed")}
	c := keepMemories(t, fork, all...)
	if len(c.Pages) != 2 || c.Pages[0].Bytes != 7 {
		t.Errorf("it has %+v", c.Pages)
	}
	checkMemories(t, fork, &c, all...)
	if h := fork.Check(); len(h.Damaged) > 0 {
		t.Error(h.Damaged)
	}
	closed(t, fork)
}

func TestADamagedPageFileIsFoundByACheck(t *testing.T) {
	for name, damage := range map[string]func(fs vfs.FS, file string) error{
		"a byte": func(fs vfs.FS, file string) error {
			f, err := fs.OpenReadWrite(file, vfs.WriteCategoryUnspecified)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte{99}, 500)
			return errors.Join(err, f.Close())
		},
		"its absence": func(fs vfs.FS, file string) error { return fs.Remove(file) },
	} {
		fs := vfs.NewMem()
		j := opened(t, fs)
		all := memories(1, 1000)
		keepMemories(t, j, all...)
		all[0] = &memory{content: []byte("changed")}
		c := keepMemories(t, j, all...)
		if err := damage(fs, "state/"+j.Checkpoints()[0].Pages[0].Name); err != nil {
			t.Fatal(err)
		}
		h := j.Check()
		if good, ok := h.Good(); len(h.Damaged) != 1 || !ok || good.File != c.File {
			t.Errorf("%s: %v", name, h.Damaged)
		}
		if h, _, err := j.Repair(); err != nil || len(j.Checkpoints()) != 1 {
			t.Errorf("%s: after the repair: %v, %v", name, h, err)
		}
		if h := j.Check(); len(h.Damaged) > 0 {
			t.Errorf("%s: after the repair: %v", name, h.Damaged)
		}
		closed(t, j)
	}
}
