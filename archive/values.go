package archive

import (
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid/principal"
)

type number interface {
	~int | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Number codes a number that is not negative.
func Number[T number](c *Coder, v *T) {
	if !c.reading {
		c.addNumber(uint64(*v))
		return
	}
	n := c.readNumber()
	if *v = T(n); *v < 0 || uint64(*v) != n {
		*v = 0
		c.Fail("the number %d is too large", n)
	}
}

// AtMost codes a number up to a limit, inclusive.
func AtMost[T number](c *Coder, v *T, most T) {
	Number(c, v)
	if *v > most {
		c.Fail("the number %d is too large: at most %d is possible", *v, most)
		if c.reading {
			*v = 0
		}
	}
}

// Bool codes true or false.
func (c *Coder) Bool(v *bool) {
	var n uint8
	if *v {
		n = 1
	}
	AtMost(c, &n, 1)
	if c.reading {
		*v = n == 1
	}
}

// Fixed codes bytes of a known number: all of b.
func (c *Coder) Fixed(b []byte) {
	if c.reading {
		c.read(b)
	} else {
		c.add(b)
	}
}

// length codes the length of a value that may be nil, up to a limit. there is false if it is nil.
func (c *Coder) length(n int, present bool, most int) (int, bool) {
	if !present {
		n = -1
	}
	code := uint64(n + 1)
	if !c.reading {
		if n > most {
			c.Fail("there are %d of something of which at most %d can be written", n, most)
		}
		c.addNumber(code)
		return n, present
	}
	code = c.readNumber()
	if code > uint64(most)+1 {
		c.Fail("there are %d of something of which at most %d are possible", code-1, most)
		code = 0
	}
	return int(code) - 1, code > 0
}

// Bytes codes bytes, up to a limit. nil stays nil.
func (c *Coder) Bytes(v *[]byte, most int) {
	n, present := c.length(len(*v), *v != nil, most)
	if !c.reading {
		c.add(*v)
		return
	}
	if *v = nil; !present || c.err != nil {
		return
	}
	b := make([]byte, min(n, firstAllocation))
	c.read(b)
	for len(b) < n && c.err == nil {
		more := min(n-len(b), len(b))
		b = append(b, make([]byte, more)...)
		c.read(b[len(b)-more:])
	}
	*v = b[:len(b):len(b)]
}

// String codes a text, up to a limit in bytes.
func String[T ~string](c *Coder, v *T, most int) {
	b := []byte(*v)
	if b == nil {
		b = []byte{}
	}
	c.Bytes(&b, most)
	if c.reading {
		*v = T(b)
	}
}

// Text codes a String that must be UTF-8, because it goes into Candid.
func Text[T ~string](c *Coder, v *T, most int) {
	String(c, v, most)
	c.Check(utf8.ValidString(string(*v)), "the text %q is not UTF-8", string(*v))
}

// Hash codes 32 bytes.
func Hash[T ~[32]byte](c *Coder, v *T) {
	b := [32]byte(*v)
	c.Fixed(b[:])
	if c.reading {
		*v = T(b)
	}
}

// Principal codes a principal.
func (c *Coder) Principal(v *principal.Principal) {
	var raw [principal.MaxLen]byte
	n := copy(raw[:], v.Bytes())
	AtMost(c, &n, principal.MaxLen)
	c.Fixed(raw[:n])
	if c.reading {
		*v = principal.MustFromBytes(raw[:n])
	}
}

// Slice codes a list, up to a limit. An empty list is read as nil.
func Slice[T any](c *Coder, v *[]T, most int, each func(*T)) {
	n := len(*v)
	AtMost(c, &n, most)
	if c.reading {
		if *v = nil; n > 0 {
			*v = make([]T, 0, min(n, 64))
		}
	}
	for i := 0; i < n && c.err == nil; i++ {
		if c.reading {
			var zero T
			*v = append(*v, zero)
		}
		each(&(*v)[i])
	}
}

// Sequence is a sequence of values that is not a slice.
type Sequence[T any] interface {
	Len() int
	At(i int) T
	Push(value T)
}

// List codes the values of a sequence in order, as Slice does; those that are read are added to it.
func List[T any](c *Coder, l Sequence[T], most int, each func(*T)) {
	n := l.Len()
	AtMost(c, &n, most)
	for i := 0; i < n && c.err == nil; i++ {
		var value T
		if !c.reading {
			value = l.At(i)
		}
		each(&value)
		if c.reading {
			l.Push(value)
		}
	}
}

// Pointer codes a value that may be absent.
func Pointer[T any](c *Coder, v **T, each func(*T)) {
	present := *v != nil
	c.Bool(&present)
	if c.reading {
		if *v = nil; present {
			*v = new(T)
		}
	}
	if present && c.err == nil {
		each(*v)
	}
}
