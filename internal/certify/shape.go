package certify

import (
	"math/bits"
	"slices"
	"sort"
)

// build returns the map of these entries, ordered by label and without duplicates:
// the one shape those entries have.
func build(es []*node) *node {
	switch {
	case len(es) == 0:
		return nil
	case len(es) == 1:
		return es[0]
	case len(es) <= bucketSize:
		return newBucket(slices.Clip(es))
	}
	bit := firstDifference(es[0].label, es[len(es)-1].label)
	cut := sort.Search(len(es), func(i int) bool { return hasBit(es[i].label, bit) })
	return newFork(build(es[:cut]), build(es[cut:]), bit, es[cut].label)
}

// maxSpread is the largest difference in height that pack respects. Together with bucketSize it keeps positions within
// 64 bits.
const maxSpread = 48

// pack returns the alphabetic tree of least height over at most bucketSize entries.
//
// An entry of height t needs 2^t consecutive places that begin at a multiple of 2^t. Giving each the first such places
// after its predecessor's uses the fewest places, and the least power of two that holds them all is the height of the
// tree; the places, in binary, are the paths down.
func pack(es []*node) *node {
	var room [bucketSize]uint64
	places := room[:len(es)]
	_, levels := place(es, places)
	return descend(es, places, levels)
}

// height returns the height of the tree that pack makes.
func height(es []*node) uint8 {
	low, levels := place(es, nil)
	return uint8(min(int(low)+levels, 255))
}

// place finds the places of entries, if they are wanted, the least height of an entry and the number of levels above
// it.
func place(es []*node, places []uint64) (low uint8, levels int) {
	low, high := es[0].tall, es[0].tall
	for _, e := range es[1:] {
		low, high = min(low, e.tall), max(high, e.tall)
	}
	if high-low > maxSpread {
		low = high - maxSpread
	}
	next := uint64(0)
	for i, e := range es {
		span := uint64(1) << (max(e.tall, low) - low)
		at := (next + span - 1) &^ (span - 1)
		if places != nil {
			places[i] = at
		}
		next = at + span
	}
	return low, bits.Len64(next - 1)
}

// descend builds the tree of entries whose places agree above the lowest
// height bits.
func descend(es []*node, places []uint64, height int) *node {
	if len(es) == 1 {
		return es[0]
	}
	half := uint64(1) << (height - 1)
	cut := 0
	for cut < len(es) && places[cut]&half == 0 {
		cut++
	}
	if cut == 0 || cut == len(es) {
		return descend(es, places, height-1)
	}
	l, r := descend(es[:cut], places[:cut], height-1), descend(es[cut:], places[cut:], height-1)
	return newFork(l, r, 0, es[cut].label)
}

// A label is read as bits, nine to a byte: whether the byte exists, then its bits from the highest. In this form, the
// order of labels is the order of bits, and a label that is a prefix of another differs from it in a bit.
const bitsPerByte = 9

// firstDifference returns the first bit in which two different labels differ.
func firstDifference(a, b Label) uint32 {
	n := min(len(a), len(b))
	for i := range n {
		if d := a[i] ^ b[i]; d != 0 {
			return uint32(i*bitsPerByte + 1 + bits.LeadingZeros8(d))
		}
	}
	if len(a) == len(b) {
		panic("certify: bug: a label is twice in one map: " + a.String())
	}
	return uint32(n * bitsPerByte)
}

func hasBit(l Label, bit uint32) bool {
	at, within := int(bit/bitsPerByte), bit%bitsPerByte
	if at >= len(l) {
		return false
	}
	return within == 0 || l[at]>>(8-within)&1 == 1
}
