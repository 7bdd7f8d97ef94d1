package state

import (
	"encoding/binary"
	"math/bits"

	"github.com/canisterd/canisterd/internal/cow"
)

// idIndex is a hash table that finds the messages of a history by their ids. A message is at the first place that was free
// from that of its hash on (linear probing). The ids themselves are in the records. Forks share the pages of the table.
type idIndex struct {
	pages cow.Pages[[indexPage]indexEntry] // as many as a power of two
	n     int                              // entries; at most half of the places
}

// indexPage is how many entries a fork copies at once. It also copies the list of pages, which is shorter with larger ones. Ours.
const indexPage = 256

// indexEntry is the hash of an id and, in its lower half, the number of the message; 0 is a free place.
type indexEntry uint64

// hashOf spreads ids that are not hashes too: those of tests.
func hashOf(id *RequestID) uint32 {
	const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	high, low := bits.Mul64(binary.LittleEndian.Uint64(id[:]), golden)
	return uint32(high ^ low)
}

func entryOf(id *RequestID, number uint64) indexEntry {
	if number>>32 != 0 {
		panic("state: a message has a number of more than 32 bits")
	}
	return indexEntry(hashOf(id))<<32 | indexEntry(number)
}

func (e indexEntry) hash() uint32   { return uint32(e >> 32) }
func (e indexEntry) number() uint64 { return uint64(uint32(e)) }

// next returns the number of the first message from a place on whose id has a hash, and the place after it; number is 0 if
// there is none. The search begins at the place with the number of the hash.
func (x *idIndex) next(hash uint32, from uint) (number uint64, after uint) {
	if x.n == 0 {
		return 0, from
	}
	for {
		e := *x.read(from)
		from++
		if e == 0 || e.hash() == hash {
			return e.number(), from
		}
	}
}

// add adds a message, whose id must be unknown.
func (x *idIndex) add(id *RequestID, number uint64) {
	if 2*x.n >= x.pages.Len()*indexPage {
		x.grow()
	}
	x.n++
	x.put(entryOf(id, number))
}

// put writes an entry at the first free place.
func (x *idIndex) put(e indexEntry) {
	at := uint(e.hash())
	for *x.read(at) != 0 {
		at++
	}
	*x.write(at) = e
}

// remove removes a message. Later entries move to the place that becomes free if their search passes it.
func (x *idIndex) remove(id *RequestID, number uint64) {
	e := entryOf(id, number)
	free := uint(e.hash())
	for *x.read(free) != e {
		free++
	}
	for at := free + 1; ; at++ {
		later := *x.read(at)
		if later == 0 {
			break
		}
		if x.wrap(at-uint(later.hash())) >= at-free {
			*x.write(free) = later
			free = at
		}
	}
	*x.write(free) = 0
	x.n--
}

// grow doubles the number of places.
func (x *idIndex) grow() {
	old := x.pages
	x.pages = cow.Pages[[indexPage]indexEntry]{}
	for range max(1, 2*old.Len()) {
		x.pages.Add()
	}
	for page := range old.Len() {
		for _, e := range old.Read(uint(page)) {
			if e != 0 {
				x.put(e)
			}
		}
	}
}

// wrap returns the number of a place, or of a distance between places, in the table: after the last comes the first.
func (x *idIndex) wrap(at uint) uint { return at & (uint(x.pages.Len())*indexPage - 1) }

func (x *idIndex) read(at uint) *indexEntry {
	at = x.wrap(at)
	return &x.pages.Read(at / indexPage)[at%indexPage]
}

func (x *idIndex) write(at uint) *indexEntry {
	at = x.wrap(at)
	return &x.pages.Write(at / indexPage)[at%indexPage]
}

func (x *idIndex) fork() idIndex { return idIndex{pages: x.pages.Fork(), n: x.n} }
