package candid

import "unsafe"

// Sizes of blocks: memory that values share which are read one after the other, since one allocation for each would take
// most of the time of a message of many small values. A block is freed with the last of its values.
const (
	maxBoxBlock   = 64      // values or fields
	textBlock     = 1 << 10 // bytes of texts, or as many as the message has left
	maxSharedText = 64      // bytes of a text that is in a block
)

// block is room for values of one type. The first block holds what is asked for, and the next ones twice as much.
type block[T any] struct {
	free []T
	size int // of the newest one
}

// take returns room for n elements. It belongs to the caller.
func (b *block[T]) take(n int) []T {
	if n > len(b.free) {
		b.size = max(n, min(2*b.size, maxBoxBlock))
		b.free = make([]T, b.size)
	}
	room := b.free[:n:n]
	b.free = b.free[n:]
	return room
}

// valueDecoder is a decoder with blocks for the parts of a [Value] that a message may have thousands of.
type valueDecoder struct {
	decoder

	boxes struct {
		nats    block[Nat]
		ints    block[Int]
		texts   block[Text]
		records block[Record]
	}
	fields block[FieldValue]
}

// Values of the types that box makes.
var (
	boxedNat    Value = Nat{}
	boxedInt    Value = Int{}
	boxedText   Value = Text("")
	boxedRecord Value = Record(nil)
)

// box returns v as a Value whose memory is in the block; like is a Value of the same type. An interface value is a word
// for its type and the address of what it holds, unless that is a pointer, which no Value of ours is.
func box[V Value](b *block[V], v V, like Value) Value {
	room := b.take(1)
	room[0] = v
	(*[2]unsafe.Pointer)(unsafe.Pointer(&like))[1] = unsafe.Pointer(&room[0])
	return like
}

// string reads a text.
func (d *decoder) string() (string, error) {
	b, err := d.text()
	if err != nil || len(b) == 0 || len(b) > maxSharedText {
		return string(b), err
	}
	if len(d.texts) < len(b) {
		d.texts = make([]byte, min(len(b)+len(d.in)-d.pos, textBlock))
	}
	copy(d.texts, b)
	text := unsafe.String(&d.texts[0], len(b)) // these bytes never change
	d.texts = d.texts[len(b):]
	return text, nil
}
