package wasm

import (
	"bytes"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/test/archivetest"
)

// stored writes a guest to a file whose pages are in a store.
func stored(t *testing.T, g *Guest, store *archivetest.PageStore) []byte {
	t.Helper()
	var file bytes.Buffer
	c := archive.NewWriter(&file)
	c.StorePages(store)
	c.Section("guest", func() { g.Archive(c) })
	c.Places()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// restored reads a guest that stored wrote.
func restored(t *testing.T, e *Engine, code *Code, file []byte, store *archivetest.PageStore) (g *Guest) {
	t.Helper()
	c := archive.NewReader(bytes.NewReader(file))
	c.StorePages(store)
	c.Section("guest", func() { g = e.ReadGuest(c, code) })
	c.Places()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestAHeapInAStoreIsLoadedOnFirstUse(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		code, store := compiled(t, e, counter), &archivetest.PageStore{New: "one"}
		g, err := e.NewGuest(code)
		if err != nil {
			t.Fatal(err)
		}
		run(t, g, "inc")
		commit(t, g)
		root := g.SnapshotRoot() // from here on the heap is a layer, as in a fork
		first := stored(t, g, store)
		root.Close()
		g.Close()

		g = restored(t, e, code, first, store)
		defer g.Close()
		if store.Readers() != 1 {
			t.Fatalf("%d page files are open before the first use, want 1", store.Readers())
		}
		store.New = "two"
		if second := stored(t, g, store); !bytes.Equal(first, second) || store.Files["two"].Size() > 0 {
			t.Errorf("a heap that was not used is written again: %d bytes", store.Files["two"].Size())
		}
		root = g.SnapshotRoot()
		defer root.Close()
		fork := root.Guest()
		defer fork.Close()
		before := notes(t, fork, "heap")
		fork.Rollback()
		run(t, g, "inc")
		commit(t, g)
		if now, still := notes(t, g, "heap"), notes(t, fork, "heap"); now != before+1 || still != before {
			t.Errorf("the counter is %d in the guest and %d in the fork, want %d and %d", now, still, before+1, before)
		}
		if store.Readers() != 0 {
			t.Errorf("%d page files are open after the first use", store.Readers())
		}
		g.Rollback()
		stored(t, g, store)
		if store.Files["two"].Size() == 0 {
			t.Error("a heap that has changed is not written")
		}
	})
}

func TestADamagedHeapIsAnErrorOfEveryUse(t *testing.T) {
	e := newTestEngine(t, Config{})
	code, store := compiled(t, e, counter), &archivetest.PageStore{New: "one"}
	g, err := e.NewGuest(code)
	if err != nil {
		t.Fatal(err)
	}
	run(t, g, "inc")
	commit(t, g)
	file := stored(t, g, store)
	g.Close()
	store.Files["one"].Increment(0)
	g = restored(t, e, code, file, store)
	defer g.Close()
	for range 2 {
		if err := g.ReadHeap(0, make([]byte, 8)); err == nil || !strings.Contains(err.Error(), `page file "one"`) {
			t.Errorf("it is read: %v", err)
		}
	}
}
