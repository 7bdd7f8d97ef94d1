package candid

import "unsafe"

// Sizes of blocks: memory that small parts of values share if they are read one after the other, because an allocation for
// each takes a third of the time of such a message. A block is freed with the last of its parts.
const (
	maxFieldBlock = 64      // fields
	textBlock     = 1 << 10 // bytes of texts, or as many as the message has left
	maxSharedText = 64      // bytes of a text that is in a block
)

// block is room for parts of one type. The first block holds what is asked for, and the next ones twice as much.
type block[T any] struct {
	free []T
	size int // of the newest one
}

// take returns room for n elements. It belongs to the caller.
func (b *block[T]) take(n int) []T {
	if n > len(b.free) {
		b.size = max(n, min(2*b.size, maxFieldBlock))
		b.free = make([]T, b.size)
	}
	room := b.free[:n:n]
	b.free = b.free[n:]
	return room
}

// valueDecoder is a decoder with a block for the fields of records, of which a message may have thousands.
type valueDecoder struct {
	decoder

	fields block[FieldValue]
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
	return d.shared(d.in[d.pos-len(b):], len(b)), nil
}

// shared returns a text of the first n of the bytes, at least one, in the block, which has room for them.
func (d *decoder) shared(from []byte, n int) string {
	const most = 16 // bytes that take one instruction: those after the text are overwritten by the next one
	if n <= most && len(d.texts) >= most && len(from) >= most {
		*(*[most]byte)(d.texts) = *(*[most]byte)(from)
	} else {
		copy(d.texts, from[:n])
	}
	text := unsafe.String(&d.texts[0], n) // these bytes never change
	d.texts = d.texts[n:]
	return text
}

// shortText reads a text that has room in the block and whose length is one byte. It reads nothing and returns false if
// there is none.
func (d *decoder) shortText() (text string, ok bool) {
	in := d.in[d.pos:]
	if len(in) == 0 {
		return "", false
	}
	n := int(in[0])
	if n == 0 || n > maxSharedText || n > len(d.texts) || n >= len(in) || !validText(in[1:1+n]) {
		return "", false
	}
	d.pos += 1 + n
	return d.shared(in[1:], n), true
}
