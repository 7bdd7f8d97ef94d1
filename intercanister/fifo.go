package intercanister

// FIFO is a queue that recycles its room. The zero value is empty.
type FIFO[T any] struct {
	ring  []T // length a power of two
	first int
	n     int
}

// Len is the number of waiting items.
func (q *FIFO[T]) Len() int { return q.n }

// Push puts an item at the end.
func (q *FIFO[T]) Push(item T) {
	if q.n == len(q.ring) {
		q.resize(max(4, 2*q.n))
	}
	*q.At(q.n) = item
	q.n++
}

// PushFront puts an item before all others.
func (q *FIFO[T]) PushFront(item T) {
	if q.n == len(q.ring) {
		q.resize(max(4, 2*q.n))
	}
	q.first = (q.first - 1) & (len(q.ring) - 1)
	q.n++
	*q.At(0) = item
}

// At is the item with i items before it, 0 for the first; i may be as large as
// Len only inside Push.
func (q *FIFO[T]) At(i int) *T { return &q.ring[(q.first+i)&(len(q.ring)-1)] }

// Pop takes the first item; it panics if there is none.
func (q *FIFO[T]) Pop() T { return q.Remove(0) }

// Remove takes the item with i items before it.
func (q *FIFO[T]) Remove(i int) T {
	if i < 0 || i >= q.n {
		panic("intercanister: an item was taken that is not in the queue")
	}
	item := *q.At(i)
	for ; i > 0; i-- {
		*q.At(i) = *q.At(i - 1)
	}
	var none T
	*q.At(0) = none
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.n--
	if q.n == 0 && len(q.ring) > 64 {
		q.ring, q.first = nil, 0
	}
	return item
}

func (q *FIFO[T]) resize(size int) {
	ring := make([]T, size)
	for i := range q.n {
		ring[i] = *q.At(i)
	}
	q.ring, q.first = ring, 0
}
