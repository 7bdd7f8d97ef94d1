package intercanister

// slab keeps records under ids that are assigned in order: chunks of recycled records, so that they never move and a
// record that comes and goes costs no allocation, and an index of four bytes per slot, open addressing with linear
// probing.
type slab[T any] struct {
	chunks [][]record[T] // numbered in steps of chunkSize slots; the first ones have fewer
	free   uint32        // slot+1 of the first free record, chained
	live   int
	index  []uint32    // slot+1, 0 empty
	packed []record[T] // of a fork before its first use: the records, which have no slots yet; read-only
}

type record[T any] struct {
	id    uint64 // 0 for a free record
	next  uint32 // free records only
	value T
}

// chunkSize makes a chunk of futures a whole number of memory pages. The first chunks have fewer slots (7, 31, 127 and
// 511), because few networks have that many calls, and each of thousands of forks has a first chunk.
const (
	chunkSize  = 1024
	firstChunk = 8 // less one, for the size class of the allocator: 7 futures fit 1.5 KiB
)

func (s *slab[T]) at(slot uint32) *record[T] { return &s.chunks[slot/chunkSize][slot%chunkSize] }

// home returns the first position at which an id is searched (Fibonacci hashing).
func (s *slab[T]) home(id uint64) int {
	return int(id * 0x9e3779b97f4a7c15 >> 32 & uint64(len(s.index)-1))
}

func (s *slab[T]) find(id uint64) (position int, r *record[T]) {
	if len(s.index) == 0 && s.packed != nil {
		s.unpack()
	}
	if len(s.index) == 0 || id == 0 {
		return 0, nil
	}
	for i := s.home(id); ; i = (i + 1) & (len(s.index) - 1) {
		if s.index[i] == 0 {
			return 0, nil
		}
		if r := s.at(s.index[i] - 1); r.id == id {
			return i, r
		}
	}
}

func (s *slab[T]) get(id uint64) *T {
	_, r := s.find(id)
	if r == nil {
		return nil
	}
	return &r.value
}

func (s *slab[T]) add(id uint64) *T {
	if s.live+1 > len(s.index)/4*3 {
		s.grow()
	}
	if s.free == 0 {
		s.extend()
	}
	slot := s.free - 1
	r := s.at(slot)
	s.free, r.next, r.id = r.next, 0, id
	s.live++
	s.enter(id, slot)
	return &r.value
}

func (s *slab[T]) enter(id uint64, slot uint32) {
	i := s.home(id)
	for s.index[i] != 0 {
		i = (i + 1) & (len(s.index) - 1)
	}
	s.index[i] = slot + 1
}

func (s *slab[T]) extend() {
	first := uint32(len(s.chunks)) * chunkSize
	size := chunkSize
	if n := firstChunk << (2 * min(len(s.chunks), 8)); n < chunkSize {
		size = n - 1
	}
	chunk := make([]record[T], size)
	s.chunks = append(s.chunks, chunk)
	for i := len(chunk) - 1; i >= 0; i-- {
		chunk[i].next, s.free = s.free, first+uint32(i)+1
	}
}

func (s *slab[T]) grow() {
	if s.packed != nil {
		s.unpack()
		if s.live+1 <= len(s.index)/4*3 {
			return
		}
	}
	old := s.index
	s.index = make([]uint32, max(16, 2*len(old)))
	for _, entry := range old {
		if entry != 0 {
			s.enter(s.at(entry-1).id, entry-1)
		}
	}
}

func (s *slab[T]) remove(id uint64) {
	i, r := s.find(id)
	if r == nil {
		panic("intercanister: a record that is not there was removed")
	}
	slot := s.index[i] - 1
	*r = record[T]{}
	r.next = s.free
	s.free = slot + 1
	s.live--
	s.closeGap(i)
}

// closeGap moves entries after an emptied position back if probing from their home would otherwise stop before it
// reaches them.
func (s *slab[T]) closeGap(gap int) {
	mask := len(s.index) - 1
	for i := (gap + 1) & mask; s.index[i] != 0; i = (i + 1) & mask {
		home := s.home(s.at(s.index[i] - 1).id)
		if (i-home)&mask >= (i-gap)&mask {
			s.index[gap], gap = s.index[i], i
		}
	}
	s.index[gap] = 0
}

// each visits the live records in the order of their slots, which depends only on the history of the slab. Visitors
// must not write.
func (s *slab[T]) each(visit func(id uint64, value *T)) {
	for i := range s.packed {
		visit(s.packed[i].id, &s.packed[i].value)
	}
	for _, chunk := range s.chunks {
		for i := range chunk {
			if chunk[i].id != 0 {
				visit(chunk[i].id, &chunk[i].value)
			}
		}
	}
}
