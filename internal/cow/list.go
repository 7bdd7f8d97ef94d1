package cow

import "slices"

// pageLen is how many values are copied when a value is written that a fork shares. Ours.
const pageLen = 64

// List is a list that can fork, and a queue: it grows at its end and shrinks at its beginning. The zero value is empty.
type List[T any] struct {
	pages []page[T]
	first int // number of taken values of the first page
	n     int
	spare *[pageLen]T // a page whose values were all taken, for reuse
	// generation counts the forks. A page of an earlier generation belongs to several lists and is copied
	// before it is written.
	generation uint64
}

type page[T any] struct {
	values     *[pageLen]T
	generation uint64
}

// Len returns the number of values.
func (l *List[T]) Len() int { return l.n }

// At returns the value with i others before it; it panics if there is none.
func (l *List[T]) At(i int) T {
	l.check(i)
	i += l.first
	return l.pages[i/pageLen].values[i%pageLen]
}

// Set writes the value with i others before it; it panics if there is none.
func (l *List[T]) Set(i int, value T) {
	l.check(i)
	l.put(l.first+i, value)
}

// Push adds a value at the end.
func (l *List[T]) Push(value T) {
	at := l.first + l.n
	if at/pageLen == len(l.pages) {
		values := l.spare
		if values == nil {
			values = new([pageLen]T)
		}
		l.spare = nil
		l.pages = append(l.pages, page[T]{values, l.generation})
	}
	l.put(at, value)
	l.n++
}

// Pop removes and returns the first value; it panics if there is none.
func (l *List[T]) Pop() T {
	value := l.At(0)
	l.first++
	l.n--
	if l.first == pageLen || l.n == 0 {
		if p := &l.pages[0]; p.generation == l.generation {
			clear(p.values[:])
			l.spare = p.values
		}
		n := copy(l.pages, l.pages[1:])
		l.pages[n] = page[T]{}
		l.pages, l.first = l.pages[:n], 0
	}
	return value
}

func (l *List[T]) check(i int) {
	if i < 0 || i >= l.n {
		panic("cow: a value was asked for that is not in the list")
	}
}

func (l *List[T]) put(at int, value T) {
	p := &l.pages[at/pageLen]
	if p.generation != l.generation {
		copied := *p.values
		*p = page[T]{&copied, l.generation}
	}
	p.values[at%pageLen] = value
}

// Fork returns a second list with the same values: it copies a word or two for every page.
func (l *List[T]) Fork() List[T] {
	l.generation++
	f := *l
	f.pages, f.spare = slices.Clone(l.pages), nil
	return f
}
