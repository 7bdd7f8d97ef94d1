package stable

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister/internal/checkpoint"
	"github.com/canisterd/canisterd/test/archivetest"
)

// stored writes a memory to a file whose pages are in a store.
func stored(t *testing.T, m *Memory, store *archivetest.PageStore) []byte {
	t.Helper()
	var file bytes.Buffer
	c := archive.NewWriter(&file)
	c.StorePages(store)
	c.Section("memory", func() { m.Archive(c) })
	c.Places()
	must(t, c.Close())
	return file.Bytes()
}

// restored reads a memory that stored wrote.
func restored(t *testing.T, pages *checkpoint.File, file []byte, store *archivetest.PageStore) (m *Memory) {
	t.Helper()
	c := archive.NewReader(bytes.NewReader(file))
	c.StorePages(store)
	c.Section("memory", func() { m = Read(c, pages) })
	c.Places()
	must(t, c.Close())
	t.Cleanup(m.Close)
	return m
}

// content is all bytes of a memory.
func content(t *testing.T, m *Memory) []byte {
	t.Helper()
	all := make([]byte, m.Size()*PageSize)
	must(t, m.Read(0, all))
	return all
}

func TestAMemoryInAStoreIsLoadedOnFirstUse(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pages, store := newFile(t, ""), &archivetest.PageStore{New: "one"}
	m := New(pages)
	t.Cleanup(m.Close)
	m.Grow(40)
	for range 200 {
		part := make([]byte, random.IntN(3*OSPageSize))
		for i := range part {
			part[i] = byte(random.IntN(256)) * byte(random.IntN(2))
		}
		must(t, m.Write(random.Uint64N(40*PageSize-3*OSPageSize), part))
	}
	must(t, m.Write(7*OSPageSize, make([]byte, 5*OSPageSize)))
	must(t, m.Commit())
	want, first := content(t, m), stored(t, m, store)

	for name, use := range map[string]func(m *Memory){
		"read":  func(*Memory) {},
		"write": func(m *Memory) { must(t, m.Write(100, []byte{want[100]})) },
		"fork": func(m *Memory) {
			fork := m.Fork()
			defer fork.Close()
			must(t, fork.Write(0, bytes.Repeat([]byte{9}, 20*OSPageSize)))
			must(t, fork.Commit())
		},
	} {
		m := restored(t, pages, first, store)
		if store.Readers() != 1 || m.Written() == 0 {
			t.Fatalf("%s: %d page files are open before the first use, and %d pages are there", name, store.Readers(), m.Written())
		}
		store.New = name
		if second := stored(t, m, store); !bytes.Equal(first, second) || store.Files[name].Size() > 0 {
			t.Errorf("%s: a memory that was not used is written again: %d bytes", name, store.Files[name].Size())
		}
		use(m)
		if !bytes.Equal(content(t, m), want) {
			t.Errorf("%s: it has other bytes", name)
		}
		if store.Readers() != 0 {
			t.Errorf("%s: %d page files are open after the first use", name, store.Readers())
		}
		must(t, m.Write(0, []byte("changed")))
		must(t, m.Commit())
		if stored(t, m, store); store.Files[name].Size() == 0 {
			t.Errorf("%s: a memory that has changed is not written", name)
		}
	}
}

func TestAMemoryThatWasNeverLoadedGivesEverythingBack(t *testing.T) {
	pages, store := newFile(t, ""), &archivetest.PageStore{New: "one"}
	m := New(pages)
	m.Grow(1)
	must(t, m.Write(0, []byte("content")))
	must(t, m.Commit())
	file := stored(t, m, store)
	m.Close()
	m = restored(t, pages, file, store)
	fork := m.Fork()
	m.Close()
	fork.Close()
	if pages.InUse() != 0 || store.Readers() != 0 {
		t.Errorf("%d bytes are in use, and %d page files are open", pages.InUse(), store.Readers())
	}
}
