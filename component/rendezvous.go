package component

// copyResult says how a copy of an end of a stream or future ended. The values are those of core code.
type copyResult uint8

const (
	copyCompleted copyResult = iota
	copyDropped              // the other end was dropped
	copyCancelled
)

// rendezvous is what the two ends of a stream or future share. It has no buffer of its own: values are copied from the one
// that writes to the one that reads when both are there.
type rendezvous struct {
	host    *host // nil until an instance has an end
	future  bool
	dropped bool
	buffer  *copyBuffer // of the end that came first; nil if none waits
	end     copier      // it
	element *valueType  // of the ends of the host; nil if there is none
	writer  *hostEnd    // the writable end, if it is the host's
	source  source      // that the host supplies instead of a writable end
	sink    sink        // that the host supplies instead of a readable end
	atEnd   func()      // the host wants to know when an end is dropped; nil if it does not
}

// copier is an end that copies.
type copier interface {
	// progress records that values were copied, and that more may be until the end learns of it.
	progress()
	// done records that the copy ended.
	done(result copyResult)
}

// source gives values to a buffer that reads, and sink takes those of a buffer that writes, at once.
type (
	source func(to *copyBuffer) copyResult
	sink   func(from *copyBuffer) copyResult
)

func (r *rendezvous) name() string {
	if r.future {
		return "future"
	}
	return "stream"
}

// copy begins the copy of an end, which ends at once or when the other end copies, is dropped, or this one cancels.
func (r *rendezvous) copy(end copier, buffer *copyBuffer, reads bool) {
	switch {
	case r.dropped:
		end.done(copyDropped)
	case reads && r.source != nil:
		end.done(r.source(buffer))
	case !reads && r.sink != nil:
		end.done(r.sink(buffer))
	case r.buffer == nil:
		r.buffer, r.end = buffer, end
	default:
		r.meet(end, buffer, reads)
	}
}

// meet copies between an end and the one that waits.
func (r *rendezvous) meet(end copier, buffer *copyBuffer, reads bool) {
	other := r.buffer
	if buffer.instance() == other.instance() && buffer.instance() != nil && !buffer.element.isNumber() {
		trap("cannot read from and write to intra-component %s", r.name())
	}
	from, to := buffer, other
	if reads {
		from, to = other, buffer
	}
	n := min(from.remain(), to.remain())
	switch {
	case r.future:
		transfer(to, from, n)
		r.finish(copyCompleted)
		end.done(copyCompleted)
	case other.remain() > 0:
		if n > 0 {
			transfer(to, from, n)
			r.end.progress()
		}
		end.done(copyCompleted)
	case !reads && buffer.length == 0 && other.length == 0:
		end.done(copyCompleted)
	default:
		r.finish(copyCompleted)
		r.buffer, r.end = buffer, end
	}
}

// finish ends the copy that waits.
func (r *rendezvous) finish(result copyResult) {
	end := r.end
	r.reset()
	end.done(result)
}

func (r *rendezvous) reset() { r.buffer, r.end = nil, nil }

// drop records that an end is gone.
func (r *rendezvous) drop() {
	if r.dropped {
		return
	}
	r.markDropped()
	if r.buffer != nil {
		r.finish(copyDropped)
	}
}

func (r *rendezvous) markDropped() {
	r.dropped = true
	if r.atEnd != nil {
		r.atEnd()
	}
}

// copyBuffer is memory of an instance, or values of the host, that an end reads into or writes from.
type copyBuffer struct {
	abi              *abi // nil if it is of the host
	element          *valueType
	pointer          uint32
	length, progress uint32 // in elements
	bytes            []byte // of the host, if elements are u8
	values           []any  // of the host, for other elements
}

func (b *copyBuffer) remain() uint32 { return b.length - b.progress }

func (b *copyBuffer) instance() *instanceState {
	if b.abi == nil {
		return nil
	}
	return b.abi.instance
}

// isNumber says whether a type is none, or that of an integer or floating-point number.
func (t *valueType) isNumber() bool {
	if t == nil {
		return true
	}
	return t.kind == kindPrimitive && t.prim >= primS8 && t.prim <= primF64
}

func (t *valueType) isByte() bool { return t.kind == kindPrimitive && t.prim == primU8 }

// isInteger says whether each pattern of bits is a value of the type.
func (t *valueType) isInteger() bool {
	return t.kind == kindPrimitive && t.prim >= primS8 && t.prim <= primU64
}

// guestBuffer makes a buffer of memory that core code names.
func (a *abi) guestBuffer(element *valueType, pointer, length uint32) *copyBuffer {
	if length > maxCopyLength {
		trap("a stream copies at most %d elements at a time, found %d", maxCopyLength, length)
	}
	if element != nil && length > 0 {
		if uint64(pointer)%element.size32.align != 0 {
			trap("unaligned pointer")
		}
		if !a.inBounds(pointer, multiply(uint64(length), element.size32.size)) {
			trap("stream pointer/length out of bounds of memory")
		}
	}
	return &copyBuffer{abi: a, element: element, pointer: pointer, length: length}
}

// memory gives the memory of the next n elements, which have a size.
func (b *copyBuffer) memory(n uint32) []byte {
	size := uint32(b.element.size32.size)
	return b.abi.bytes(b.pointer+b.progress*size, n*size)
}

// transfer copies elements between buffers.
func transfer(to, from *copyBuffer, n uint32) {
	switch {
	case n == 0:
		return
	case to.element == nil || from.element == nil:
	case to.element.isInteger() && to.raw() && from.raw():
		copy(to.rawBytes(n), from.rawBytes(n))
	default:
		if from.abi != nil {
			from.abi.outside = to.abi == nil
		}
		to.put(from.get(n), n)
	}
	to.progress += n
	from.progress += n
}

// raw says whether the elements lie in the buffer as in memory.
func (b *copyBuffer) raw() bool { return b.abi != nil || b.values == nil }

func (b *copyBuffer) rawBytes(n uint32) []byte {
	if b.abi != nil {
		return b.memory(n)
	}
	return b.bytes[b.progress : b.progress+n]
}

// get gives the next elements.
func (b *copyBuffer) get(n uint32) []any {
	if b.abi == nil {
		return b.values[b.progress : b.progress+n]
	}
	b.abi.lifted = 0
	return b.abi.loadElements(b.element, b.pointer+b.progress*uint32(b.element.size32.size), n)
}

// put stores the next elements.
func (b *copyBuffer) put(values []any, n uint32) {
	if b.abi == nil {
		copy(b.values[b.progress:b.progress+n], values)
		return
	}
	b.abi.storeElements(b.element, values, b.pointer+b.progress*uint32(b.element.size32.size))
}
