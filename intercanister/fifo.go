package intercanister

// FIFO is a queue that reuses its buffer. The zero value is empty.
type FIFO[T any] struct {
	ring  []T    // length a power of two
	first uint32 // position of the first item; of 32 bits because forks copy five queues for each canister
	n     uint32 // items
}

// Len returns the number of waiting items.
func (q *FIFO[T]) Len() int { return int(q.n) }

// Push adds an item at the end.
func (q *FIFO[T]) Push(item T) { *q.Extend() = item }

// Extend adds the zero value at the end, and returns it to be written in place.
func (q *FIFO[T]) Extend() *T {
	if q.Len() == len(q.ring) {
		q.grow()
	}
	q.n++
	return q.At(q.Len() - 1)
}

// PushFront adds an item before all others.
func (q *FIFO[T]) PushFront(item T) {
	if q.Len() == len(q.ring) {
		q.grow()
	}
	q.first = (q.first - 1) & q.mask()
	q.n++
	*q.At(0) = item
}

// At returns the item with i items before it, 0 for the first; i is less than Len.
func (q *FIFO[T]) At(i int) *T { return &q.ring[(q.first+uint32(i))&q.mask()] }

// mask returns the mask that keeps a position in the ring.
func (q *FIFO[T]) mask() uint32 { return uint32(len(q.ring) - 1) }

// Pop removes and returns the first item; it panics if there is none.
func (q *FIFO[T]) Pop() T {
	item := *q.At(0)
	q.Remove(0)
	return item
}

// Remove removes the item with i items before it; it panics if there is none.
func (q *FIFO[T]) Remove(i int) {
	if i < 0 || i >= q.Len() {
		panic("intercanister: an item was taken that is not in the queue")
	}
	for ; i > 0; i-- {
		*q.At(i) = *q.At(i - 1)
	}
	var none T
	*q.At(0) = none
	q.first = (q.first + 1) & q.mask()
	q.n--
	if q.n == 0 && len(q.ring) > 64 {
		q.ring, q.first = nil, 0
	}
}

func (q *FIFO[T]) grow() {
	ring := make([]T, max(4, 2*len(q.ring)))
	for i := range q.Len() {
		ring[i] = *q.At(i)
	}
	q.ring, q.first = ring, 0
}
