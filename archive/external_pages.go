package archive

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// PageReader is an open file of a PageStore.
type PageReader = interface {
	io.ReaderAt
	io.Closer
	Folder() string // of the file, as its store names it
}

// PageFileError reports that pages in a file of a PageStore have changed, or cannot be read. This process has then lost
// the memory with these pages.
type PageFileError struct {
	Folder, File string
	Err          error
}

// Error names the file.
func (e *PageFileError) Error() string { return fmt.Sprintf("page file %q: %v", e.File, e.Err) }

// Unwrap returns what is wrong with the file.
func (e *PageFileError) Unwrap() error { return e.Err }

// PageStore keeps the pages of memories in files next to the file of a Coder. If a memory has not changed, its pages
// stay in the file that already has them.
type PageStore interface {
	// Put appends bytes to the new file of the store and returns where they are. It may change b.
	Put(b []byte) (file string, offset int64, err error)
	// Keep returns the new place of bytes that the store wrote earlier. It returns "" if the store does not have them.
	Keep(file string, offset, size int64) (now string, at int64, err error)
	// Open opens a file of the store. The reader stays valid if the store removes the file.
	Open(file string) (PageReader, error)
}

// Segment has the pages of one memory, contiguous in a file of a PageStore. It is immutable after Coder.Close.
type Segment struct {
	runs   []pageRun
	file   string
	offset int64
	from   PageReader // nil for a segment that this process wrote
}

// pageRun is a run of pages. Pages of zeros are not in the file.
type pageRun struct {
	first, count uint64
	zero         bool
	sum          [sha256.Size]byte
}

// size returns the number of bytes that the segment takes in its file.
func (s *Segment) size() (bytes int64) {
	for i := range s.runs {
		if !s.runs[i].zero {
			bytes += int64(s.runs[i].count) * PageSize
		}
	}
	return bytes
}

// EachRun calls visit for each run of pages, in ascending order.
func (s *Segment) EachRun(visit func(first, count uint64)) {
	for i := range s.runs {
		visit(s.runs[i].first, s.runs[i].count)
	}
}

// read checks the pages and passes them to put, as ReadPages does.
func (s *Segment) read(put func(first, count uint64, content []byte) error) error {
	at := s.offset
	var room [runPages * PageSize]byte
	for i := range s.runs {
		r := &s.runs[i]
		var content []byte
		if !r.zero {
			content = room[:r.count*PageSize]
			if _, err := s.from.ReadAt(content, at); err != nil {
				return s.damaged("read %d bytes at %d: %w", len(content), at, err)
			}
			if sha256.Sum256(content) != r.sum {
				return s.damaged("%d bytes at %d: %w", len(content), at, errChecksum)
			}
			at += int64(len(content))
		}
		if err := put(r.first, r.count, content); err != nil {
			return err
		}
	}
	return nil
}

func (s *Segment) damaged(format string, args ...any) error {
	return &PageFileError{s.from.Folder(), s.file, fmt.Errorf(format, args...)}
}

// LazySegment is a segment that is loaded on first use, once for all users that share it. It is safe for concurrent
// use. A nil LazySegment is loaded already.
type LazySegment struct {
	once    sync.Once
	loaded  atomic.Bool
	segment *Segment
	err     error
}

// Lazy returns the segment for loading on first use.
func (s *Segment) Lazy() *LazySegment { return &LazySegment{segment: s} }

// Load passes the pages to put, as ReadPages does, if this is the first call. Every call returns the same error.
func (l *LazySegment) Load(put func(first, count uint64, content []byte) error) error {
	if l == nil {
		return nil
	}
	l.once.Do(func() {
		l.err = l.segment.read(put)
		l.close()
		l.loaded.Store(l.err == nil)
	})
	return l.err
}

// Loaded reports whether Load has succeeded.
func (l *LazySegment) Loaded() bool { return l == nil || l.loaded.Load() }

// Close closes the page file of a segment that was never loaded.
func (l *LazySegment) Close() {
	if l != nil {
		l.once.Do(func() {
			l.err = errUnloaded
			l.close()
		})
	}
}

var errUnloaded = errors.New("the memory was closed before its pages were loaded")

func (l *LazySegment) close() {
	if from := l.segment.from; from != nil {
		if err := from.Close(); l.err == nil {
			l.err = err
		}
	}
	l.segment = nil
}

// Segments are the places where stores have the pages of a memory: one for each of the last few stores. They are valid
// while the memory does not change. The zero value is empty. It is safe for concurrent use.
type Segments struct{ all atomic.Pointer[[]*Segment] }

// Add adds a segment in front and drops the oldest if there are too many. A nil segment is ignored.
func (s *Segments) Add(segment *Segment) { s.replace(nil, segment) }

func (s *Segments) replace(old, segment *Segment) {
	if segment == nil {
		return
	}
	for {
		now := s.all.Load()
		all := []*Segment{segment}
		if now != nil {
			for _, other := range *now {
				if other != old && len(all) < maxSegments {
					all = append(all, other)
				}
			}
		}
		if s.all.CompareAndSwap(now, &all) {
			return
		}
	}
}

// KeepPages writes a memory by reference if the store already has its pages. Otherwise it returns false and writes
// nothing.
func (c *Coder) KeepPages(segments *Segments) bool {
	all := segments.all.Load()
	if c.pages == nil || all == nil || c.err != nil {
		return false
	}
	for _, s := range *all {
		if s.size() == 0 { // all zeros: no file has them
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
			segments.replace(s, moved)
			s = moved
		}
		c.addSegment(s)
		return true
	}
	return false
}

// addSegment writes the runs of a segment and their hashes.
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
	c.addPlace(s)
}

// addPlace adds a segment to those whose file and offset Places writes or reads.
func (c *Coder) addPlace(s *Segment) {
	if s.size() > 0 {
		c.places = append(c.places, s)
	}
}

// store puts the pending run of pages into the store.
func (p *Pages) store() {
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

// StorePages sets the store for the pages of memories; nil: the file itself. It must precede the first section.
func (c *Coder) StorePages(pages PageStore) {
	c.pages = pages
	if pages != nil && !c.reading && c.contents == nil {
		c.contents = sha256.New()
	}
}

// Places writes or reads the file and offset of each memory. It must follow the last memory. A Coder without a store
// does nothing.
func (c *Coder) Places() {
	if c.pages == nil || !c.Since(VersionPageFiles) { // a checkpoint of before has all pages in its file
		return
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
}
