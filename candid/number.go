package candid

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Nat is a natural number of any size. The zero value is 0.
type Nat struct {
	small uint64
	big   *big.Int // set only if the number does not fit small
}

// Int is an integer of any size. The zero value is 0.
type Int struct {
	small int64
	big   *big.Int // set only if the number does not fit small
}

// NatOf returns the natural number n.
func NatOf(n uint64) Nat { return Nat{small: n} }

// NatOfBig returns the natural number n, and an error if n is negative.
func NatOfBig(n *big.Int) (Nat, error) {
	if n.Sign() < 0 {
		return Nat{}, fmt.Errorf("a nat is not negative, got %s", clip(n.String()))
	}
	return natOf(new(big.Int).Set(n)), nil
}

// natOf takes ownership of n.
func natOf(n *big.Int) Nat {
	if n.IsUint64() {
		return Nat{small: n.Uint64()}
	}
	return Nat{big: n}
}

// Uint64 returns the number, and false if it does not fit.
func (n Nat) Uint64() (uint64, bool) { return n.small, n.big == nil }

// Big returns the number as a new big.Int.
func (n Nat) Big() *big.Int {
	if n.big != nil {
		return new(big.Int).Set(n.big)
	}
	return new(big.Int).SetUint64(n.small)
}

// Cmp returns −1, 0 or 1.
func (n Nat) Cmp(m Nat) int {
	if n.big == nil && m.big == nil {
		switch {
		case n.small < m.small:
			return -1
		case n.small > m.small:
			return 1
		}
		return 0
	}
	return n.Big().Cmp(m.Big())
}

// Int returns the number as an Int.
func (n Nat) Int() Int {
	if n.big != nil {
		return Int{big: n.big}
	}
	if i := int64(n.small); i >= 0 {
		return Int{small: i}
	}
	return Int{big: new(big.Int).SetUint64(n.small)}
}

// String returns the number in decimal digits, without underscores.
func (n Nat) String() string {
	if n.big != nil {
		return n.big.String()
	}
	return strconv.FormatUint(n.small, 10)
}

// IntOf returns the integer i.
func IntOf(i int64) Int { return Int{small: i} }

// IntOfBig returns the integer i.
func IntOfBig(i *big.Int) Int { return intOf(new(big.Int).Set(i)) }

// intOf takes ownership of i.
func intOf(i *big.Int) Int {
	if i.IsInt64() {
		return Int{small: i.Int64()}
	}
	return Int{big: i}
}

// Int64 returns the number, and false if it does not fit.
func (i Int) Int64() (int64, bool) { return i.small, i.big == nil }

// Big returns the number as a new big.Int.
func (i Int) Big() *big.Int {
	if i.big != nil {
		return new(big.Int).Set(i.big)
	}
	return big.NewInt(i.small)
}

// Cmp returns −1, 0 or 1.
func (i Int) Cmp(j Int) int {
	if i.big == nil && j.big == nil {
		switch {
		case i.small < j.small:
			return -1
		case i.small > j.small:
			return 1
		}
		return 0
	}
	return i.Big().Cmp(j.Big())
}

// Sign returns −1, 0 or 1.
func (i Int) Sign() int { return i.Cmp(Int{}) }

// nat returns the number as a Nat, and false if it is negative.
func (i Int) nat() (Nat, bool) {
	if i.big != nil {
		if i.big.Sign() < 0 {
			return Nat{}, false
		}
		return natOf(i.big), true
	}
	return Nat{small: uint64(i.small)}, i.small >= 0
}

// String returns the number in decimal digits, without underscores.
func (i Int) String() string {
	if i.big != nil {
		return i.big.String()
	}
	return strconv.FormatInt(i.small, 10)
}

// clip keeps error messages short.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
