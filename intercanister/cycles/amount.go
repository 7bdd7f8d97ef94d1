package cycles

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
)

// Amount is a number of cycles, 0 to 2^128-1. It is comparable; the zero value is zero cycles.
type Amount struct {
	Hi, Lo uint64
}

// Max is the largest amount.
var Max = Amount{^uint64(0), ^uint64(0)}

// Of returns n cycles.
func Of(n uint64) Amount { return Amount{Lo: n} }

// IsZero reports whether a is zero cycles.
func (a Amount) IsZero() bool { return a == Amount{} }

// Cmp returns -1, 0 or 1 if a is less than, equal to or greater than b.
func (a Amount) Cmp(b Amount) int {
	switch {
	case a == b:
		return 0
	case a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo:
		return -1
	}
	return 1
}

// Less reports whether a < b.
func (a Amount) Less(b Amount) bool { return a.Cmp(b) < 0 }

// Add returns a+b, at most Max: balances saturate.
func (a Amount) Add(b Amount) Amount {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, over := bits.Add64(a.Hi, b.Hi, carry)
	if over != 0 {
		return Max
	}
	return Amount{hi, lo}
}

// Sub returns a-b, at least zero.
func (a Amount) Sub(b Amount) Amount {
	d, ok := a.Take(b)
	if !ok {
		return Amount{}
	}
	return d
}

// Take returns a-b, and false if b is more than a.
func (a Amount) Take(b Amount) (Amount, bool) {
	lo, borrow := bits.Sub64(a.Lo, b.Lo, 0)
	hi, under := bits.Sub64(a.Hi, b.Hi, borrow)
	if under != 0 {
		return a, false
	}
	return Amount{hi, lo}, true
}

// Mul returns a*n, at most Max.
func (a Amount) Mul(n uint64) Amount {
	carry, lo := bits.Mul64(a.Lo, n)
	over, mid := bits.Mul64(a.Hi, n)
	hi, c := bits.Add64(mid, carry, 0)
	if over != 0 || c != 0 {
		return Max
	}
	return Amount{hi, lo}
}

// Div returns floor(a/n); n must not be zero.
func (a Amount) Div(n uint64) Amount {
	if a.Hi == 0 {
		return Amount{0, a.Lo / n}
	}
	lo, _ := bits.Div64(a.Hi%n, a.Lo, n)
	return Amount{a.Hi / n, lo}
}

// DivCeil returns a/n, rounded up; n must not be zero.
func (a Amount) DivCeil(n uint64) Amount {
	down := a.Div(n)
	if down.Mul(n).Less(a) {
		return down.Add(Of(1))
	}
	return down
}

// Min returns the smaller of a and b.
func (a Amount) Min(b Amount) Amount {
	if a.Less(b) {
		return a
	}
	return b
}

// Bytes returns the amount in 16 bytes, little-endian, as in the System API.
func (a Amount) Bytes() [16]byte {
	var out [16]byte
	binary.LittleEndian.PutUint64(out[:8], a.Lo)
	binary.LittleEndian.PutUint64(out[8:], a.Hi)
	return out
}

// Big returns the amount as a big integer, for Candid.
func (a Amount) Big() *big.Int {
	n := new(big.Int).SetUint64(a.Hi)
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(a.Lo))
}

// FromBig returns the amount n, and false if n is negative or over 2^128-1.
func FromBig(n *big.Int) (Amount, bool) {
	if n.Sign() < 0 || n.BitLen() > 128 {
		return Amount{}, false
	}
	var raw [16]byte
	n.FillBytes(raw[:])
	return Amount{binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])}, true
}

// String returns the amount in decimal digits.
func (a Amount) String() string {
	if a.Hi == 0 {
		return fmt.Sprint(a.Lo)
	}
	return a.Big().String()
}

// MarshalText returns the decimal digits, for JSON.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads decimal digits.
func (a *Amount) UnmarshalText(text []byte) error {
	n, ok := new(big.Int).SetString(string(text), 10)
	if !ok {
		return fmt.Errorf("%q is not a number of cycles: give decimal digits", text)
	}
	amount, ok := FromBig(n)
	if !ok {
		return fmt.Errorf("%s cycles do not fit 128 bits", text)
	}
	*a = amount
	return nil
}

// Grouped returns the amount with its digits in groups of three, as the replica prints
// cycles: 1_000_000.
func (a Amount) Grouped() string {
	digits := a.String()
	out := make([]byte, 0, len(digits)+len(digits)/3)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out = append(out, '_')
		}
		out = append(out, digits[i])
	}
	return string(out)
}
