package candid

import (
	"encoding/binary"
	"unsafe"
)

// Sizes of blocks: memory that small parts of values share if they are read one after the other, because an allocation for
// each takes most of the time of such a message. A block is freed with the last of its parts.
const (
	maxBlock      = 1<<10 - 8 // bytes of parts: with the word that Go adds they fill one of its size classes
	maxTextBlock  = 1 << 10   // bytes of texts, or as many as the message has left
	maxSharedText = 64        // bytes of a text that is in a block
)

// block is room for parts of one type. The first block holds what is asked for, and the next ones twice as much.
type block[T any] struct {
	parts []T
	used  int // a number: a slice of the rest would be a pointer written for each part
}

// take returns room for n elements. It belongs to the caller.
func (b *block[T]) take(n int) []T {
	if n > len(b.parts)-b.used {
		b.grow(n)
	}
	room := b.parts[b.used : b.used+n : b.used+n]
	b.used += n
	return room
}

// grow replaces the block by one with room for n elements.
func (b *block[T]) grow(n int) {
	most := maxBlock / int(unsafe.Sizeof(*new(T)))
	*b = block[T]{parts: make([]T, max(n, min(2*len(b.parts), most)))}
}

// valueDecoder is a decoder with blocks for the parts of a [Value] that a message may have thousands of.
type valueDecoder struct {
	decoder

	fields block[FieldValue]
	boxes  struct {
		nats    block[Nat]
		texts   block[Text]
		records block[Record]
	}
}

// Values of the types that box makes.
var (
	boxedNat    Value = Nat{}
	boxedText   Value = Text("")
	boxedRecord Value = Record(nil)
)

// box returns v as a Value whose memory is in the block; like is a Value of the same type. An interface value is a word
// for its type and the address of what it holds, unless that is a pointer, which no Value is.
func box[V Value](b *block[V], v V, like Value) Value {
	held := &b.take(1)[0]
	*held = v
	(*[2]unsafe.Pointer)(unsafe.Pointer(&like))[1] = unsafe.Pointer(held)
	return like
}

// textValue returns a text as a Value. A long one is in no block, whose other texts would keep it.
func (d *valueDecoder) textValue(text string) Value {
	if len(text) > maxSharedText {
		return Text(text)
	}
	return box(&d.boxes.texts, Text(text), boxedText)
}

// textBlock is memory of short texts.
type textBlock struct {
	bytes []byte
	used  int
}

func (b *textBlock) room() []byte { return b.bytes[b.used:] }

// take returns the first n bytes of the room, at least one, as a text. They never change.
func (b *textBlock) take(n int) string {
	text := unsafe.String(&b.room()[0], n)
	b.used += n
	return text
}

// string reads a text.
func (d *decoder) string() (string, error) {
	b, err := d.text()
	if err != nil || len(b) == 0 || len(b) > maxSharedText {
		return string(b), err
	}
	if len(d.texts.room()) < len(b) {
		d.texts = textBlock{bytes: make([]byte, min(len(b)+len(d.in)-d.pos, maxTextBlock))}
	}
	return d.texts.take(copy(d.texts.room(), b)), nil
}

// textAt reads the text at a position in the message and returns the position after it, for the caller to set. That is 0 if
// the text has a fault.
func (d *decoder) textAt(pos int) (text string, end int) {
	const most = 16 // bytes in two words: those after the text are overwritten by the next one
	in, room := d.in[pos:], d.texts.room()
	n := int(in[0])
	if n > 0 && n <= most && len(in) > most && len(room) >= most {
		low, high := binary.LittleEndian.Uint64(in[1:]), binary.LittleEndian.Uint64(in[9:])
		if (low<<max(0, 64-8*n)|high<<(128-8*n))&notASCII == 0 {
			binary.LittleEndian.PutUint64(room, low)
			binary.LittleEndian.PutUint64(room[8:], high)
			return d.texts.take(n), pos + 1 + n
		}
	}
	d.pos = pos
	text, err := d.string()
	if err != nil {
		d.pos = pos
		return "", 0
	}
	return text, d.pos
}
