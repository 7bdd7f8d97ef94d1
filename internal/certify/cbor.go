package certify

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The subset of CBOR (RFC 8949) that certificates need, written and read by hand: definite lengths, no floats.

const (
	majorNat   = 0
	majorBytes = 2
	majorText  = 3
	majorArray = 4
	majorMap   = 5
	majorTag   = 6

	nullByte = 0xf6
)

// selfDescribed is the tag 55799 the specification puts before certificates
// and some values.
const selfDescribed = "\xd9\xd9\xf7"

// AppendHead appends the initial bytes of a data item in their shortest form.
func AppendHead(dst []byte, major byte, n uint64) []byte {
	major <<= 5
	switch {
	case n < 24:
		return append(dst, major|byte(n))
	case n < 1<<8:
		return append(dst, major|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(n))
	default:
		return binary.BigEndian.AppendUint64(append(dst, major|27), n)
	}
}

func appendBytes[B string | []byte](dst []byte, b B) []byte {
	return append(AppendHead(dst, majorBytes, uint64(len(b))), b...)
}

func appendText(dst []byte, s string) []byte {
	return append(AppendHead(dst, majorText, uint64(len(s))), s...)
}

var errTruncated = errors.New("CBOR ends in the middle of an item")

// reader reads CBOR from the front of in.
type reader struct {
	in []byte
	at int
}

func (r *reader) head() (major byte, n uint64, err error) {
	if r.at >= len(r.in) {
		return 0, 0, errTruncated
	}
	b := r.in[r.at]
	r.at++
	major, n = b>>5, uint64(b&31)
	if n < 24 {
		return major, n, nil
	}
	if n > 27 {
		return 0, 0, fmt.Errorf("CBOR item at byte %d: indefinite and reserved lengths are not allowed", r.at-1)
	}
	size := 1 << (n - 24)
	if len(r.in)-r.at < size {
		return 0, 0, errTruncated
	}
	n = 0
	for _, c := range r.in[r.at : r.at+size] {
		n = n<<8 | uint64(c)
	}
	r.at += size
	return major, n, nil
}

func (r *reader) expect(want byte, noun string) (uint64, error) {
	start := r.at
	major, n, err := r.head()
	if err != nil {
		return 0, err
	}
	if major != want {
		return 0, fmt.Errorf("CBOR item at byte %d: want %s, got major type %d", start, noun, major)
	}
	return n, nil
}

// bytes reads a byte string; it aliases the input.
func (r *reader) bytes() ([]byte, error) { return r.sized(majorBytes, "a byte string") }

func (r *reader) text() (string, error) {
	b, err := r.sized(majorText, "a text")
	return string(b), err
}

func (r *reader) sized(major byte, noun string) ([]byte, error) {
	n, err := r.expect(major, noun)
	if err != nil {
		return nil, err
	}
	if n > uint64(len(r.in)-r.at) {
		return nil, errTruncated
	}
	b := r.in[r.at : r.at+int(n) : r.at+int(n)]
	r.at += int(n)
	return b, nil
}

// selfDescribed skips the tag 55799 where it is next.
func (r *reader) selfDescribed() {
	if rest := r.in[r.at:]; len(rest) >= 3 && string(rest[:3]) == selfDescribed {
		r.at += 3
	}
}

func (r *reader) end() error {
	if r.at != len(r.in) {
		return fmt.Errorf("%d bytes follow the CBOR item", len(r.in)-r.at)
	}
	return nil
}
