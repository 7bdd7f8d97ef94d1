package cow

// pageLen is how many values are copied when a value is written that a fork shares. Ours.
const pageLen = 64

// List is a list that can fork. It grows at its end, and shrinks at both: it is a queue and a stack. The zero value is
// empty.
type List[T any] struct {
	pages Pages[[pageLen]T]
	first int // number of taken values of the first page
	n     int
}

// Len returns the number of values.
func (l *List[T]) Len() int { return l.n }

// At returns the value with i others before it; it panics if there is none.
func (l *List[T]) At(i int) T {
	l.check(i)
	at := uint(l.first + i)
	return l.pages.Read(at / pageLen)[at%pageLen]
}

// Set writes the value with i others before it; it panics if there is none.
func (l *List[T]) Set(i int, value T) {
	l.check(i)
	at := uint(l.first + i)
	l.pages.Write(at / pageLen)[at%pageLen] = value
}

// Push adds a value at the end.
func (l *List[T]) Push(value T) {
	at := uint(l.first + l.n)
	if at/pageLen == uint(l.pages.Len()) {
		l.pages.Add()
	}
	l.pages.Write(at / pageLen)[at%pageLen] = value
	l.n++
}

// Pop removes and returns the first value; it panics if there is none.
func (l *List[T]) Pop() T {
	value := l.At(0)
	l.first++
	l.n--
	if l.first == pageLen || l.n == 0 {
		l.pages.Drop(0)
		l.first = 0
	}
	return value
}

// PopLast removes and returns the last value; it panics if there is none.
func (l *List[T]) PopLast() T {
	value := l.At(l.n - 1)
	l.n--
	at := uint(l.first + l.n)
	if l.pages.Owns(at / pageLen) {
		var none T
		l.pages.Write(at / pageLen)[at%pageLen] = none
	}
	if empty := int(at/pageLen) + 1; at%pageLen == 0 && empty < l.pages.Len() { // the page that became empty stays: it may be needed soon
		l.pages.Drop(empty)
	}
	return value
}

func (l *List[T]) check(i int) {
	if i < 0 || i >= l.n {
		panic("cow: a value was asked for that is not in the list")
	}
}

// Fork returns a second list with the same values. The first write of a side copies two words for every page, and the
// page.
func (l *List[T]) Fork() List[T] {
	return List[T]{pages: l.pages.Fork(), first: l.first, n: l.n}
}
