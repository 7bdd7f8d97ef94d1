package archive

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pageFiles is a PageStore in memory.
type pageFiles struct {
	files  map[string][]byte
	to     string // the file that is written
	moving bool   // bytes of other files are copied
	closed int    // files that were opened and are closed
}

func (p *pageFiles) Put(b []byte) (file string, offset int64, err error) {
	if p.files == nil {
		p.files = make(map[string][]byte)
	}
	offset = int64(len(p.files[p.to]))
	p.files[p.to] = append(p.files[p.to], b...)
	return p.to, offset, nil
}

func (p *pageFiles) Keep(file string, offset, size int64) (now string, at int64, err error) {
	content, found := p.files[file]
	switch {
	case !found:
		return "", 0, nil
	case !p.moving:
		return file, offset, nil
	}
	return p.Put(content[offset:][:size])
}

func (p *pageFiles) Open(file string) (PageFile, error) {
	content, found := p.files[file]
	if !found {
		return nil, errors.New("it is not there")
	}
	return &openPages{bytes.NewReader(content), p}, nil
}

type openPages struct {
	io.ReaderAt
	of *pageFiles
}

func (o *openPages) Close() error {
	o.of.closed++
	return nil
}

// memory is the pages of a memory, and where page files have them.
type memory struct {
	pages   map[uint64][]byte
	size    uint64
	saved   Saved
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
	state = c.Places()
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
		all, store := memories(t), &pageFiles{to: "one"}
		file, state := checkpoint(t, store, all)
		again, err := recovered(file, store, len(all))
		if err != nil {
			t.Fatal(err)
		}
		// Before they are read, they are written again: nothing of them, or copies, and the state has the same hash.
		store.to, store.moving = "two", rapid.Bool().Draw(t, "moving")
		second, now := checkpoint(t, store, again)
		if now != state {
			t.Fatalf("the state has hash %x, and had %x", now, state)
		}
		if !store.moving && len(store.files["two"]) > 0 {
			t.Fatalf("%d bytes were written again", len(store.files["two"]))
		}
		if store.moving {
			delete(store.files, "one")
			if again, err = recovered(second, store, len(all)); err != nil {
				t.Fatal(err)
			}
		}
		for i, m := range again {
			if err := m.segment.Read(m.put); err != nil {
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
	store := &pageFiles{to: "one"}
	_, before := checkpoint(t, store, all)
	all[0] = &memory{pages: map[uint64][]byte{1: page, 2: page}, size: 100}
	store.to = "two"
	file, after := checkpoint(t, store, all)
	if before == after || len(store.files["two"]) != 2*PageSize {
		t.Errorf("%d bytes were written, and the hash is %x", len(store.files["two"]), after)
	}
	again, err := recovered(file, store, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range again {
		if err := m.segment.Read(m.put); err != nil || !m.same(all[i]) {
			t.Errorf("memory %d: %v", i, err)
		}
	}
	if store.closed != 2 {
		t.Errorf("%d files were closed, want 2", store.closed)
	}
}

func TestAPageThatWasDamagedIsFoundWhenItIsRead(t *testing.T) {
	page := bytes.Repeat([]byte{1}, PageSize)
	store := &pageFiles{to: "one"}
	file, _ := checkpoint(t, store, []*memory{{pages: map[uint64][]byte{1: page}, size: 100}})
	store.files["one"][100]++
	again, err := recovered(file, store, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := again[0].segment.Read(again[0].put); !errors.Is(err, errChecksum) || !strings.Contains(err.Error(), `"one"`) {
		t.Errorf("it is read: %v", err)
	}
}

func TestAFileWithoutItsPagesIsRefused(t *testing.T) {
	page := bytes.Repeat([]byte{1}, PageSize)
	store := &pageFiles{to: "one"}
	file, _ := checkpoint(t, store, []*memory{{pages: map[uint64][]byte{1: page}, size: 100}})
	if _, err := recovered(file, &pageFiles{}, 1); err == nil || !strings.Contains(err.Error(), `open page file "one": it is not there`) {
		t.Errorf("from an empty store: %v", err)
	}
	if _, err := recovered(file, nil, 1); err == nil || !strings.Contains(err.Error(), "in another file") {
		t.Errorf("as an exported network: %v", err)
	}
}

func TestAMemoryKnowsAFewStores(t *testing.T) {
	m := &memory{pages: map[uint64][]byte{1: bytes.Repeat([]byte{1}, PageSize)}, size: 100}
	var stores []*pageFiles
	for i := range maxSaved + 1 {
		store := &pageFiles{to: strings.Repeat("x", i+1)}
		checkpoint(t, store, []*memory{m})
		stores = append(stores, store)
	}
	for i, store := range slices.Backward(stores) {
		store.to = "again"
		checkpoint(t, store, []*memory{m})
		if wrote := len(store.files["again"]) > 0; wrote != (i == 0) {
			t.Errorf("store %d of %d was written again: %v", i, len(stores), wrote)
		}
	}
}

// FuzzPagesBeside reads arbitrary bytes as a checkpoint.
func FuzzPagesBeside(f *testing.F) {
	page := bytes.Repeat([]byte{1}, PageSize)
	store := &pageFiles{to: "one"}
	file, _ := checkpoint(f, store, []*memory{{pages: map[uint64][]byte{1: page, 7: make([]byte, PageSize)}, size: 100}})
	f.Add(file)
	f.Fuzz(func(t *testing.T, file []byte) {
		all, err := recovered(file, store, 1)
		for _, m := range all {
			if m.segment != nil && err == nil {
				_ = m.segment.Read(m.put) // an error, perhaps
			}
		}
	})
}
