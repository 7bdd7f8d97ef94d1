package certify

import (
	"errors"
	"fmt"
)

// AppendNat appends a natural number as the state tree encodes it, LEB128.
func AppendNat(dst []byte, n uint64) []byte {
	for n >= 0x80 {
		dst = append(dst, byte(n)|0x80)
		n >>= 7
	}
	return append(dst, byte(n))
}

// Nat returns the leaf value of a natural number.
func Nat(n uint64) []byte { return AppendNat(make([]byte, 0, 10), n) }

// DecodeNat reads a leaf value that is a natural number below 2^64, in its
// shortest form and nothing after it.
func DecodeNat(value []byte) (uint64, error) {
	var n uint64
	for i, b := range value {
		if i == 9 && b > 1 || i > 9 {
			return 0, errors.New("read a nat: it does not fit in 64 bits")
		}
		n |= uint64(b&0x7f) << (7 * i)
		if b&0x80 != 0 {
			continue
		}
		if i != len(value)-1 {
			return 0, fmt.Errorf("read a nat: %d bytes follow it", len(value)-1-i)
		}
		if b == 0 && i > 0 {
			return 0, errors.New("read a nat: it is not in its shortest form")
		}
		return n, nil
	}
	return 0, errors.New("read a nat: it ends in the middle")
}
