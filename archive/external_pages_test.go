package archive

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/archivetest"
	"pgregory.net/rapid"
)

// memory is a memory and the places of its pages.
type memory struct {
	pages   map[uint64][]byte
	size    uint64
	saved   Segments
	segment *Segment // that was read
}

// archive writes the memory, or reads it.
func (m *memory) archive(c *Coder) {
	if c.Reading() {
		m.pages = make(map[uint64][]byte)
		m.segment = ReadPages(c, m.size, m.put)
		m.saved.Add(m.segment)
		return
	}
	if c.KeepPages(&m.saved) {
		return
	}
	all := NewPages(c)
	var numbers []uint64
	for page := range m.pages {
		numbers = append(numbers, page)
	}
	slices.Sort(numbers)
	for _, page := range numbers {
		all.Put(page, m.pages[page])
	}
	m.saved.Add(all.Close())
}

func (m *memory) put(first, count uint64, content []byte) error {
	for i := range count {
		page := make([]byte, PageSize)
		if content != nil {
			copy(page, content[i*PageSize:])
		}
		m.pages[first+i] = page
	}
	return nil
}

// same reports whether two memories have the same pages.
func (m *memory) same(o *memory) bool {
	if len(m.pages) != len(o.pages) {
		return false
	}
	for page, content := range m.pages {
		if other, found := o.pages[page]; !found || !bytes.Equal(content, other) {
			return false
		}
	}
	return true
}

func memories(t *rapid.T) (all []*memory) {
	for range rapid.IntRange(1, 4).Draw(t, "memories") {
		m := &memory{pages: make(map[uint64][]byte), size: 100}
		for range rapid.IntRange(0, 60).Draw(t, "pages") {
			page := rapid.Uint64Range(0, 99).Draw(t, "page")
			m.pages[page] = bytes.Repeat([]byte{rapid.ByteRange(0, 3).Draw(t, "content")}, PageSize)
		}
		all = append(all, m)
	}
	return all
}

// checkpoint writes memories, with their pages in a store.
func checkpoint(t interface{ Fatal(...any) }, store PageStore, all []*memory) (file []byte, state [32]byte) {
	var to bytes.Buffer
	c := NewWriter(&to)
	c.StorePages(store)
	c.Section("memories", func() {
		for _, m := range all {
			m.archive(c)
		}
	})
	state = c.Hash()
	c.Places()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return to.Bytes(), state
}

// recovered reads the memories of a checkpoint; store may be nil.
func recovered(file []byte, store PageStore, n int) (all []*memory, err error) {
	c := NewReader(bytes.NewReader(file))
	if store != nil {
		c.StorePages(store)
	}
	c.Section("memories", func() {
		for range n {
			m := &memory{size: 100}
			m.archive(c)
			all = append(all, m)
		}
	})
	c.Places()
	return all, c.Close()
}

func TestPagesBesideAFileAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, store := memories(t), &archivetest.PageStore{New: "one"}
		file, state := checkpoint(t, store, all)
		again, err := recovered(file, store, len(all))
		if err != nil {
			t.Fatal(err)
		}
		// A checkpoint before the load refers to the same bytes, or to copies of them. The hash is the same.
		store.New, store.Copy = "two", rapid.IntRange(0, 1).Draw(t, "copy")
		second, now := checkpoint(t, store, again)
		if now != state {
			t.Fatalf("the state has hash %x, and had %x", now, state)
		}
		if store.Copy == 0 && store.Files["two"].Size() > 0 {
			t.Fatalf("%d bytes were written again", store.Files["two"].Size())
		}
		if store.Copy > 0 {
			delete(store.Files, "one")
			if again, err = recovered(second, store, len(all)); err != nil {
				t.Fatal(err)
			}
		}
		for i, m := range again {
			if err := m.segment.Lazy().Load(m.put); err != nil {
				t.Fatal(err)
			}
			if !m.same(all[i]) {
				t.Fatalf("memory %d has other pages", i)
			}
		}
	})
}

func TestAMemoryThatChangedIsWrittenAgain(t *testing.T) {
	page := bytes.Repeat([]byte{1}, PageSize)
	all := []*memory{{pages: map[uint64][]byte{1: page}, size: 100}, {pages: map[uint64][]byte{2: page, 3: page}, size: 100}}
	store := &archivetest.PageStore{New: "one"}
	_, before := checkpoint(t, store, all)
	all[0] = &memory{pages: map[uint64][]byte{1: page, 2: page}, size: 100}
	store.New = "two"
	file, after := checkpoint(t, store, all)
	if before == after || store.Files["two"].Size() != 2*PageSize {
		t.Errorf("%d bytes were written, and the hash is %x", store.Files["two"].Size(), after)
	}
	again, err := recovered(file, store, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range again {
		if err := m.segment.Lazy().Load(m.put); err != nil || !m.same(all[i]) {
			t.Errorf("memory %d: %v", i, err)
		}
	}
	if open := store.Readers(); open > 0 {
		t.Errorf("%d page files are open", open)
	}
}

func TestAPageThatWasDamagedIsFoundWhenItIsRead(t *testing.T) {
	page := bytes.Repeat([]byte{1}, PageSize)
	store := &archivetest.PageStore{New: "one"}
	file, _ := checkpoint(t, store, []*memory{{pages: map[uint64][]byte{1: page}, size: 100}})
	store.Files["one"].Increment(100)
	again, err := recovered(file, store, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := again[0].segment.Lazy().Load(again[0].put); !errors.Is(err, errChecksum) || !strings.Contains(err.Error(), `"one"`) {
		t.Errorf("it is read: %v", err)
	}
}

func TestAFileWithoutItsPagesIsRefused(t *testing.T) {
	page := bytes.Repeat([]byte{1}, PageSize)
	store := &archivetest.PageStore{New: "one"}
	file, _ := checkpoint(t, store, []*memory{{pages: map[uint64][]byte{1: page}, size: 100}})
	if _, err := recovered(file, &archivetest.PageStore{}, 1); err == nil || !strings.Contains(err.Error(), `open page file "one": no such file`) {
		t.Errorf("from an empty store: %v", err)
	}
	if _, err := recovered(file, nil, 1); err == nil || !strings.Contains(err.Error(), "in another file") {
		t.Errorf("as an exported network: %v", err)
	}
}

func TestAMemoryKnowsTheLastFourStores(t *testing.T) {
	m := &memory{pages: map[uint64][]byte{1: bytes.Repeat([]byte{1}, PageSize)}, size: 100}
	var stores []*archivetest.PageStore
	for i := range 5 {
		store := &archivetest.PageStore{New: strings.Repeat("x", i+1)}
		checkpoint(t, store, []*memory{m})
		stores = append(stores, store)
	}
	for i, store := range slices.Backward(stores) {
		store.New = "again"
		checkpoint(t, store, []*memory{m})
		if wrote := store.Files["again"].Size() > 0; wrote != (i == 0) {
			t.Errorf("store %d of %d was written again: %v", i, len(stores), wrote)
		}
	}
}

func TestZerosThatAFileLeavesOutAreLimited(t *testing.T) {
	m := &memory{pages: make(map[uint64][]byte), size: maxZeroPages + 100}
	for page := range uint64(maxZeroPages + 10) {
		m.pages[page] = make([]byte, PageSize)
	}
	store := &archivetest.PageStore{New: "one"}
	checkpoint(t, store, []*memory{m})
	if got := store.Files["one"].Size(); got != 10*PageSize {
		t.Errorf("%d bytes of zeros were written, want %d", got, 10*PageSize)
	}
	bad := &Segment{runs: []pageRun{{count: maxZeroPages, zero: true}, {first: maxZeroPages, count: 1, zero: true}}}
	err := fromFile(inFile(t, func(c *Coder) { c.addSegment(bad) }), func(c *Coder) {
		c.StorePages(store)
		ReadPages(c, m.size, m.put)
	})
	if err == nil || !strings.Contains(err.Error(), "pages of zeros") {
		t.Errorf("a file with more of them: %v", err)
	}
}

func TestASegmentIsLoadedOnce(t *testing.T) {
	store := &archivetest.PageStore{New: "one"}
	page := bytes.Repeat([]byte{1}, PageSize)
	file, _ := checkpoint(t, store, []*memory{{pages: map[uint64][]byte{1: page}, size: 100}})
	for _, first := range []string{"load", "close"} {
		again, err := recovered(file, store, 1)
		if err != nil {
			t.Fatal(err)
		}
		lazy, calls := again[0].segment.Lazy(), 0
		put := func(uint64, uint64, []byte) error {
			calls++
			return nil
		}
		if first == "close" {
			lazy.Close()
		}
		for range 2 {
			if err := lazy.Load(put); (err == nil) != (first == "load") {
				t.Errorf("%s first: %v", first, err)
			}
		}
		lazy.Close()
		if loaded := first == "load"; lazy.Loaded() != loaded || (calls == 1) != loaded || store.Readers() > 0 {
			t.Errorf("%s first: loaded %v, %d calls, %d open files", first, lazy.Loaded(), calls, store.Readers())
		}
	}
	var none *LazySegment
	if none.Close(); !none.Loaded() || none.Load(nil) != nil {
		t.Error("a memory without a segment is not loaded")
	}
}

// FuzzPagesBeside reads arbitrary bytes as a checkpoint.
func FuzzPagesBeside(f *testing.F) {
	page := bytes.Repeat([]byte{1}, PageSize)
	store := &archivetest.PageStore{New: "one"}
	file, _ := checkpoint(f, store, []*memory{{pages: map[uint64][]byte{1: page, 7: make([]byte, PageSize)}, size: 100}})
	f.Add(file)
	f.Fuzz(func(t *testing.T, file []byte) {
		all, err := recovered(file, store, 1)
		for _, m := range all {
			if m.segment != nil && err == nil {
				_ = m.segment.Lazy().Load(m.put) // an error, perhaps
			}
		}
	})
}
