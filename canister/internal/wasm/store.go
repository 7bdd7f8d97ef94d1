package wasm

import (
	"math/bits"
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// store knows where the bytes of a heap are: some pages in its own extents, the others in the layers under it.
type store struct {
	file    *checkpoint.File
	base    *layer // the layer under it, or nil
	extents []checkpoint.Extent
	present bitmap               // pages that were written here
	here    bitmap               // pages that are mapped from here, written or not; see place
	own     int64                // pages present
	covered int64                // those of them that base itself has, too
	written int64                // pages present here or below; the others read as zero
	runs    int64                // of pages here
	moves   uint64               // counts changes of place
	lazy    *archive.LazySegment // of a layer whose bytes are loaded on first use; nil for others
}

// bitmap has one bit for each page.
type bitmap []uint64

func (b bitmap) has(page int64) bool {
	return page>>6 < int64(len(b)) && b[page>>6]>>(page&63)&1 != 0
}

func (b *bitmap) set(page int64) {
	if need := int(page>>6) + 1; need > len(*b) {
		*b = append(*b, make([]uint64, need-len(*b))...)
	}
	(*b)[page>>6] |= 1 << (page & 63)
}

// word returns the 64 bits that include a page.
func (b bitmap) word(page int64) uint64 {
	if page>>6 < int64(len(b)) {
		return b[page>>6]
	}
	return 0
}

// none reports whether none of the pages [first, end) is set.
func (b bitmap) none(first, end int64) bool {
	for first < end {
		if first&63 == 0 && first+64 <= end && b.word(first) == 0 {
			first += 64
			continue
		}
		if b.has(first) {
			return false
		}
		first++
	}
	return true
}

// both counts the pages that both have.
func (b bitmap) both(other bitmap) (pages int64) {
	for i := range min(len(b), len(other)) {
		pages += int64(bits.OnesCount64(b[i] & other[i]))
	}
	return pages
}

// count counts the pages.
func (b bitmap) count() (pages int64) {
	for _, w := range b {
		pages += int64(bits.OnesCount64(w))
	}
	return pages
}

// without returns the pages that other lacks.
func (b bitmap) without(other bitmap) bitmap {
	rest := slices.Clone(b)
	for i := range min(len(rest), len(other)) {
		rest[i] &^= other[i]
	}
	return rest
}

// upTo returns the pages below a limit.
func (b bitmap) upTo(limit int64) bitmap {
	part := slices.Clone(b[:min(int64(len(b)), (limit+63)/64)])
	if last := limit >> 6; last < int64(len(part)) {
		part[last] &= 1<<(limit&63) - 1
	}
	return part
}

// runsUpTo counts the runs of pages below a limit.
func (b bitmap) runsUpTo(limit int64) (n int64) {
	last := uint64(0)
	for i, w := range b {
		if left := limit - int64(i)*64; left <= 0 {
			break
		} else if left < 64 {
			w &= 1<<left - 1
		}
		n += int64(bits.OnesCount64(w &^ (w<<1 | last)))
		last = w >> 63
	}
	return n
}

func (s *store) below() *store {
	if s.base == nil {
		return nil
	}
	return &s.base.store
}

// holder returns the store that has the bytes of a page, nil if they are zero.
func (s *store) holder(page int64) *store {
	for ; s != nil; s = s.below() {
		if s.present.has(page) {
			return s
		}
	}
	return nil
}

// place returns the store from which a page is mapped: its holder. A page without a holder reads as zero wherever it is
// mapped from; it is mapped with its neighbors, so that there are few mappings.
func (s *store) place(page int64) *store {
	for s.base != nil && page < s.base.pages && !s.here.has(page) {
		s = &s.base.store
	}
	return s
}

// ensure makes the extents hold size bytes. A new extent is at least as big as all before it, so there are few.
func (s *store) ensure(size int64) error {
	capacity := s.capacity()
	if size <= capacity {
		return nil
	}
	e, err := s.file.Allocate(max(size-capacity, capacity))
	if err != nil {
		return err
	}
	s.extents = append(s.extents, e)
	return nil
}

func (s *store) capacity() (size int64) {
	for i := range s.extents {
		size += s.extents[i].Size
	}
	return size
}

// reach returns how many pages have a place.
func (s *store) reach() int64 {
	pages := s.capacity() / PageSize
	if s.base != nil {
		pages = max(pages, s.base.pages)
	}
	return pages
}

// cover ensures that a heap of size bytes can be mapped.
func (s *store) cover(size int64) error {
	if s.base != nil && size <= s.base.pages*PageSize {
		return nil
	}
	return s.ensure(size)
}

// locate returns where a page is in the extents, and how many contiguous pages begin there.
func (s *store) locate(page int64) (offset, pages int64) {
	at := page * PageSize
	for i := range s.extents {
		e := &s.extents[i]
		if at < e.Size {
			return e.Offset + at, (e.Size - at) / PageSize
		}
		at -= e.Size
	}
	panic("wasm: page outside of its store")
}

// page returns the bytes of a page, in place or in buf; nil means all zero.
func (s *store) page(page int64, buf *[PageSize]byte) ([]byte, error) {
	from := s.holder(page)
	if from == nil {
		return nil, nil
	}
	if err := from.load(); err != nil {
		return nil, err
	}
	offset, _ := from.locate(page)
	if v := s.file.View(offset, PageSize); v != nil {
		return v, nil
	}
	return buf[:], s.file.ReadAt(buf[:], offset)
}

// read fills dst with bytes at offset; reading past the end is a mistake of the caller.
func (s *store) read(dst []byte, offset int64) error {
	for len(dst) > 0 {
		in := offset % PageSize
		n := min(PageSize-in, int64(len(dst)))
		if err := s.readPart(dst[:n], offset/PageSize, in); err != nil {
			return err
		}
		dst, offset = dst[n:], offset+n
	}
	return nil
}

// readPart fills dst with the bytes of a page from one on.
func (s *store) readPart(dst []byte, page, from int64) error {
	if len(dst) == PageSize {
		return s.readPage((*[PageSize]byte)(dst), page)
	}
	var whole [PageSize]byte
	if err := s.readPage(&whole, page); err != nil {
		return err
	}
	copy(dst, whole[from:])
	return nil
}

// readPage fills dst with a page.
func (s *store) readPage(dst *[PageSize]byte, page int64) error {
	content, err := s.page(page, dst)
	switch {
	case err != nil:
		return err
	case content == nil:
		clear(dst[:])
	case &content[0] != &dst[0]:
		copy(dst[:], content)
	}
	return nil
}

// enter records that a page was written to the extents.
func (s *store) enter(page int64) {
	if s.present.has(page) {
		return
	}
	if s.blank(page) {
		s.moves++ // it may have been anonymous memory
	}
	s.present.set(page)
	s.own++
	switch b := s.base; {
	case b == nil:
		s.written++
		return
	case b.present.has(page):
		s.covered++
	case b.holder(page) == nil:
		s.written++
	}
	s.claim(page)
}

// claim makes the extents the place of a page.
func (s *store) claim(page int64) {
	s.moves++
	if page >= s.base.pages || s.here.has(page) {
		return
	}
	s.runs++
	if page > 0 && s.here.has(page-1) {
		s.runs--
	}
	if s.here.has(page + 1) {
		s.runs--
	}
	s.here.set(page)
}

// eachPlace calls visit for the runs of pages that are mapped from one place.
func (s *store) eachPlace(first, end int64, visit func(first, end, offset int64) error) error {
	for first < end {
		at := s.place(first)
		offset, pages := at.locate(first)
		next := s.placeEnd(at, first, min(end, first+pages))
		if err := visit(first, next, offset); err != nil {
			return err
		}
		first = next
	}
	return nil
}

// placeEnd returns the end of the run of pages that begins at first and has its place in at.
func (s *store) placeEnd(at *store, first, end int64) int64 {
	next := first + 1
	for next < end {
		if next&63 == 0 && next+64 <= end && s.allAt(at, next) {
			next += 64
			continue
		}
		if s.place(next) != at {
			break
		}
		next++
	}
	return next
}

// allAt reports whether the 64 pages from page on have their place in at.
func (s *store) allAt(at *store, page int64) bool {
	for ; s != at; s = &s.base.store {
		if s.base == nil || page+64 > s.base.pages || s.here.word(page) != 0 {
			return false
		}
	}
	return s.base == nil || page >= s.base.pages || s.here.word(page) == ^uint64(0)
}

// blank reports whether no page of the block that includes this page was ever written.
func (s *store) blank(page int64) bool {
	page = page / blockPages * blockPages
	for end := page + blockPages; page < end; page += 64 {
		if s.any(page) != 0 {
			return false
		}
	}
	return true
}

// blanks returns the end of the run of pages from first on that consists of whole blank blocks only, or of other pages.
func (s *store) blanks(first, end int64) (next int64, blank bool) {
	whole := func(page int64) bool { return page%blockPages == 0 && page+blockPages <= end && s.blank(page) }
	blank = whole(first)
	for next = first; next < end && whole(next) == blank; {
		next = next/blockPages*blockPages + blockPages
	}
	return min(next, end), blank
}

// eachAbsent calls visit for the runs of pages without a holder.
func (s *store) eachAbsent(first, end int64, visit func(first, end int64)) {
	for first < end {
		if first&63 == 0 && s.any(first) == ^uint64(0) {
			first += 64
			continue
		}
		next := first
		for next < end && s.holder(next) == nil {
			next++
		}
		if first < next {
			visit(first, next)
		}
		first = next + 1
	}
}

// any returns the 64 bits that include a page: which of these pages have a holder.
func (s *store) any(page int64) (word uint64) {
	for ; s != nil; s = s.below() {
		word |= s.present.word(page)
	}
	return word
}

// trim frees the space of pages without a holder, which reads and rolled-back writes took: both allocate through a
// mapping of a file in memory. Every mapping of such a page still reads zeros.
func (s *store) trim(pages []span) {
	if s.file.InMemory() {
		for i := 0; i < len(pages); {
			p := pages[i]
			for i++; i < len(pages) && s.noneHas(p.end, pages[i].first); i++ {
				p.end = pages[i].end
			}
			s.eachAbsent(p.first, p.end, func(first, end int64) { s.punch(first, end, nil) })
		}
	}
}

// noneHas reports whether no store in the chain has any of the pages [first, end): then runs of pages before and after
// them can be freed together, in one call.
func (s *store) noneHas(first, end int64) bool {
	for ; s != nil; s = s.below() {
		if !s.present.none(first, end) {
			return false
		}
	}
	return true
}

// leave trims pages that are about to be entered and are still in a layer.
func (s *store) leave(pages []span) {
	if s.base != nil && s.file.InMemory() {
		for _, p := range pages {
			s.eachAbsent(p.first, p.end, func(first, end int64) { s.punch(first, end, s) })
		}
	}
}

// punch frees the space of pages, except those whose place is in the store but.
func (s *store) punch(first, end int64, but *store) {
	_ = s.eachPlace(first, end, func(first, end, offset int64) error {
		if but == nil || s.place(first) != but {
			s.file.Punch(offset, (end-first)*PageSize)
		}
		return nil
	})
}

// take copies pages of another store to the same place in this one, from file to file.
func (s *store) take(from *store, first, end int64) error {
	if err := from.load(); err != nil {
		return err
	}
	var buf []byte
	for first < end {
		source, n := from.locate(first)
		target, m := s.locate(first)
		n = min(n, m, end-first, maxCopy)
		content := s.file.View(source, n*PageSize)
		if content == nil {
			if buf == nil {
				buf = make([]byte, min(maxCopy, end-first)*PageSize)
			}
			content = buf[:n*PageSize]
			if err := s.file.ReadAt(content, source); err != nil {
				return err
			}
		}
		if err := s.file.WriteAt(content, target); err != nil {
			return err
		}
		for ; n > 0; n-- {
			s.enter(first)
			first++
		}
	}
	return nil
}

// next returns the first page from page on that is set, end the first that is not; both are at most limit.
func (b bitmap) next(page, limit int64) int64 {
	for page < limit && !b.has(page) {
		if page&63 == 0 && b.word(page) == 0 {
			page += 63
		}
		page++
	}
	return min(page, limit)
}

func (b bitmap) end(page, limit int64) int64 {
	for page < limit && b.has(page) {
		if page&63 == 0 && b.word(page) == ^uint64(0) {
			page += 63
		}
		page++
	}
	return min(page, limit)
}
