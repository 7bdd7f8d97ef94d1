package stable

import "math/bits"

// touched records the pages of 4 KiB that an execution accessed and wrote: a pair of bits each, 64 to an entry.
type touched struct {
	words map[uint64]touchedWord
}

type touchedWord struct{ accessed, written uint64 }

// eachWord calls visit for each entry that intersects [first, end), with the bits of the range in it.
func eachWord(first, end uint64, visit func(word, mask uint64)) {
	for first < end {
		word := first / 64
		stop := min(end, (word+1)*64)
		mask := ^uint64(0) << (first % 64)
		if stop%64 != 0 {
			mask &= 1<<(stop%64) - 1
		}
		visit(word, mask)
		first = stop
	}
}

// fresh counts the pages of [first, end) not yet accessed and not yet written.
func (t *touched) fresh(first, end uint64) (unaccessed, unwritten uint64) {
	eachWord(first, end, func(word, mask uint64) {
		w := t.words[word]
		unaccessed += uint64(bits.OnesCount64(mask &^ w.accessed))
		unwritten += uint64(bits.OnesCount64(mask &^ w.written))
	})
	return unaccessed, unwritten
}

func (t *touched) mark(first, end uint64, write bool) {
	if t.words == nil {
		t.words = map[uint64]touchedWord{}
	}
	eachWord(first, end, func(word, mask uint64) {
		was := t.words[word]
		now := touchedWord{was.accessed | mask, was.written}
		if write {
			now.written |= mask
		}
		if now != was {
			t.words[word] = now
		}
	})
}

// keptTouched is the size above which the record of touched pages is dropped instead of emptied. It only affects
// allocations.
const keptTouched = 1024

func (t *touched) reset() {
	if len(t.words) > keptTouched {
		t.words = nil
		return
	}
	clear(t.words)
}
