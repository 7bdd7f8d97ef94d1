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
	big   *big.Int // set only where the number does not fit small
}

// Int is an integer of any size. The zero value is 0.
type Int struct {
	small int64
	big   *big.Int // set only where the number does not fit small
}

// NatOf is the natural number n.
func NatOf(n uint64) Nat { return Nat{small: n} }

// NatOfBig is the natural number n, and an error where n is negative.
func NatOfBig(n *big.Int) (Nat, error) {
	if n.Sign() < 0 {
		return Nat{}, fmt.Errorf("a nat is not negative, got %s", clip(n.String()))
	}
	return natOf(new(big.Int).Set(n)), nil
}

// natOf takes n over.
func natOf(n *big.Int) Nat {
	if n.IsUint64() {
		return Nat{small: n.Uint64()}
	}
	return Nat{big: n}
}

// Uint64 is the number, and false where it does not fit.
func (n Nat) Uint64() (uint64, bool) { return n.small, n.big == nil }

// Big is the number as a new big.Int.
func (n Nat) Big() *big.Int {
	if n.big != nil {
		return new(big.Int).Set(n.big)
	}
	return new(big.Int).SetUint64(n.small)
}

// Cmp is −1, 0 or 1.
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

// Int is the number as an Int.
func (n Nat) Int() Int {
	if n.big != nil {
		return Int{big: n.big}
	}
	if i := int64(n.small); i >= 0 {
		return Int{small: i}
	}
	return Int{big: new(big.Int).SetUint64(n.small)}
}

// String is the number in decimal digits, without underscores.
func (n Nat) String() string {
	if n.big != nil {
		return n.big.String()
	}
	return strconv.FormatUint(n.small, 10)
}

// IntOf is the integer i.
func IntOf(i int64) Int { return Int{small: i} }

// IntOfBig is the integer i.
func IntOfBig(i *big.Int) Int { return intOf(new(big.Int).Set(i)) }

// intOf takes i over.
func intOf(i *big.Int) Int {
	if i.IsInt64() {
		return Int{small: i.Int64()}
	}
	return Int{big: i}
}

// Int64 is the number, and false where it does not fit.
func (i Int) Int64() (int64, bool) { return i.small, i.big == nil }

// Big is the number as a new big.Int.
func (i Int) Big() *big.Int {
	if i.big != nil {
		return new(big.Int).Set(i.big)
	}
	return big.NewInt(i.small)
}

// Cmp is −1, 0 or 1.
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

// Sign is −1, 0 or 1.
func (i Int) Sign() int { return i.Cmp(Int{}) }

// nat is the number as a Nat, and false where it is negative.
func (i Int) nat() (Nat, bool) {
	if i.big != nil {
		if i.big.Sign() < 0 {
			return Nat{}, false
		}
		return natOf(i.big), true
	}
	return Nat{small: uint64(i.small)}, i.small >= 0
}

// String is the number in decimal digits, without underscores.
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
