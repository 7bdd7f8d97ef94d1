package archive

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// PageFile is an open file of a PageStore.
type PageFile = interface {
	io.ReaderAt
	io.Closer
}

// PageStore has the pages of memories in files beside the file of a Coder. Those of a memory that has not changed stay
// where an earlier file of a Coder has found them.
type PageStore interface {
	// Put writes bytes behind those that it has written for the same file, and says where they are. It may change b.
	Put(b []byte) (file string, offset int64, err error)
	// Keep says where bytes that the store wrote earlier are from now on, "" if it does not have them.
	Keep(file string, offset, size int64) (now string, at int64, err error)
	// Open opens a file of the store. Its bytes can be read until it is closed, whatever becomes of the store.
	Open(file string) (PageFile, error)
}

// Segment is the pages of a memory that are in a file of a PageStore, in one piece. It does not change after its Coder
// is closed.
type Segment struct {
	runs   []pageRun
	file   string
	offset int64
	from   PageFile // nil for one that was written
}

// pageRun is pages in a row. Those of zeros are in no file.
type pageRun struct {
	first, count uint64
	zero         bool
	sum          [sha256.Size]byte
}

// size is how many bytes the file has of the segment.
func (s *Segment) size() (bytes int64) {
	for i := range s.runs {
		if !s.runs[i].zero {
			bytes += int64(s.runs[i].count) * PageSize
		}
	}
	return bytes
}

// EachRun calls visit for the pages that exist, in their order.
func (s *Segment) EachRun(visit func(first, count uint64)) {
	for i := range s.runs {
		visit(s.runs[i].first, s.runs[i].count)
	}
}

// Read gives the runs of pages to a function as ReadPages does, and closes the segment.
func (s *Segment) Read(put func(first, count uint64, content []byte) error) error {
	err := s.read(put)
	if err != nil {
		err = fmt.Errorf("pages in file %q: %w", s.file, err)
	}
	return errors.Join(err, s.Close())
}

func (s *Segment) read(put func(first, count uint64, content []byte) error) error {
	at := s.offset
	var room [runPages * PageSize]byte
	for i := range s.runs {
		r := &s.runs[i]
		if r.zero {
			if err := put(r.first, r.count, nil); err != nil {
				return err
			}
			continue
		}
		content := room[:r.count*PageSize]
		if _, err := s.from.ReadAt(content, at); err != nil {
			return fmt.Errorf("read %d bytes at %d: %w", len(content), at, err)
		}
		if sha256.Sum256(content) != r.sum {
			return fmt.Errorf("%d bytes at %d: %w", len(content), at, errChecksum)
		}
		if err := put(r.first, r.count, content); err != nil {
			return err
		}
		at += int64(len(content))
	}
	return nil
}

// Close gives up a segment that was not read.
func (s *Segment) Close() error {
	if s.from == nil {
		return nil
	}
	return s.from.Close()
}

// Saved is the segments that have the pages of a memory, while that does not change: one for each store at most, of the
// last few. Its zero value has none. It is safe for concurrent use.
type Saved struct{ segments atomic.Pointer[[]*Segment] }

// Add enters a segment; nil: nothing. It takes the place of another one.
func (s *Saved) Add(segment *Segment) { s.replace(nil, segment) }

func (s *Saved) replace(old, segment *Segment) {
	if segment == nil {
		return
	}
	for {
		now := s.segments.Load()
		all := []*Segment{segment}
		if now != nil {
			for _, other := range *now {
				if other != old && len(all) < maxSaved {
					all = append(all, other)
				}
			}
		}
		if s.segments.CompareAndSwap(now, &all) {
			return
		}
	}
}

// KeepPages writes the pages of a memory that are in the store already, and reports whether they are.
func (c *Coder) KeepPages(saved *Saved) bool {
	all := saved.segments.Load()
	if c.pages == nil || all == nil || c.err != nil {
		return false
	}
	for _, s := range *all {
		if s.size() == 0 { // only zeros, which are in no file
			c.addSegment(s)
			return true
		}
		file, offset, err := c.pages.Keep(s.file, s.offset, s.size())
		if err != nil {
			c.Fail("keep pages of file %q: %w", s.file, err)
			return false
		}
		if file == "" {
			continue
		}
		if file != s.file || offset != s.offset {
			moved := &Segment{runs: s.runs, file: file, offset: offset}
			saved.replace(s, moved)
			s = moved
		}
		c.addSegment(s)
		return true
	}
	return false
}

// addSegment writes what a file says of a segment beside it.
func (c *Coder) addSegment(s *Segment) {
	beside := true
	c.Bool(&beside)
	next := uint64(0)
	for i := range s.runs {
		r := &s.runs[i]
		kind := uint64(fullRun)
		if r.zero {
			kind = zeroRun
		}
		c.addNumber(r.count<<1 | kind)
		c.addNumber(r.first - next)
		if !r.zero {
			c.add(r.sum[:])
		}
		next = r.first + r.count
	}
	c.addNumber(0)
	c.place(s)
}

// place notes a segment whose place is written or read at the end of the file.
func (c *Coder) place(s *Segment) {
	if s.size() > 0 {
		c.places = append(c.places, s)
	}
}

// putRun brings the run of pages that waits to the store.
func (p *Pages) putRun() {
	s, r := p.segment, pageRun{first: p.next - p.zeros, count: p.zeros, zero: true}
	if len(p.run) > 0 {
		count := uint64(len(p.run) / PageSize)
		r = pageRun{first: p.next - count, count: count, sum: sha256.Sum256(p.run)}
		file, offset, err := p.c.pages.Put(p.run)
		if err != nil {
			p.c.Fail("write pages beside the file: %w", err)
			return
		}
		if s.size() == 0 {
			s.file, s.offset = file, offset
		}
	}
	s.runs = append(s.runs, r)
}

// Places writes or reads where the pages of all memories are. No memory comes after it. What comes before it tells the
// same of the same state, wherever the pages are: state is its SHA-256. A file of a version without such pages has
// nothing here.
func (c *Coder) Places() (state [sha256.Size]byte) {
	state = [sha256.Size]byte(c.sum.Sum(nil))
	if !c.Since(7) {
		return state
	}
	c.Section("places", func() {
		for _, s := range c.places {
			offset := uint64(s.offset)
			String(c, &s.file, maxName)
			Number(c, &offset)
			if !c.reading || c.err != nil {
				continue
			}
			from, err := c.pages.Open(s.file)
			if err != nil {
				c.Fail("open page file %q: %w", s.file, err)
				return
			}
			s.from, s.offset = from, int64(offset)
		}
	})
	return state
}

// StorePages makes the file one whose pages are in a store. It is called before the first section; Places comes after
// the last memory.
func (c *Coder) StorePages(pages PageStore) { c.pages = pages }
