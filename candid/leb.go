package candid

import (
	"math/big"
	"slices"
)

// appendUleb appends n in unsigned LEB128.
func appendUleb(b []byte, n uint64) []byte {
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}

// appendSleb appends i in signed LEB128.
func appendSleb(b []byte, i int64) []byte {
	for i < -64 || i > 63 {
		b = append(b, byte(i)|0x80)
		i >>= 7
	}
	return append(b, byte(i)&0x7f)
}

func appendNat(b []byte, n Nat) []byte {
	if n.big == nil {
		return appendUleb(b, n.small)
	}
	return appendGroups(b, n.big, (n.big.BitLen()+6)/7)
}

func appendInt(b []byte, i Int) []byte {
	if i.big == nil {
		return appendSleb(b, i.small)
	}
	// The magnitude plus a sign bit; only for −2^k, the magnitude's top bit is the sign.
	x, size := i.big, i.big.BitLen()+1
	if x.Sign() < 0 {
		size = new(big.Int).Not(x).BitLen() + 1
	}
	groups := (size + 6) / 7
	if x.Sign() < 0 {
		x = new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), uint(7*groups)))
	}
	return appendGroups(b, x, groups)
}

// appendGroups appends the low 7·groups bits of x ≥ 0, seven to a byte.
func appendGroups(b []byte, x *big.Int, groups int) []byte {
	start := len(b)
	b = slices.Grow(b, groups)
	raw := x.Bytes()
	acc, have := uint32(0), 0
	for i := len(raw) - 1; len(b)-start < groups; i-- {
		if i >= 0 {
			acc |= uint32(raw[i]) << have
		}
		for have += 8; have >= 7 && len(b)-start < groups; have -= 7 {
			b = append(b, byte(acc)&0x7f|0x80)
			acc >>= 7
		}
	}
	b[len(b)-1] &= 0x7f
	return b
}

// groupsToBig is the inverse of appendGroups, in time linear in the length.
func groupsToBig(groups []byte) *big.Int {
	raw := make([]byte, (len(groups)*7+7)/8)
	at := len(raw)
	acc, have := uint32(0), 0
	for _, g := range groups {
		acc |= uint32(g&0x7f) << have
		for have += 7; have >= 8; have -= 8 {
			at--
			raw[at] = byte(acc)
			acc >>= 8
		}
	}
	if have > 0 {
		at--
		raw[at] = byte(acc)
	}
	return new(big.Int).SetBytes(raw)
}

// uleb reads an unsigned number of at most 64 bits, which may be longer than necessary.
func (d *decoder) uleb() (uint64, error) {
	if d.pos < len(d.in) && d.in[d.pos] < 0x80 {
		d.pos++
		return uint64(d.in[d.pos-1]), nil
	}
	var n uint64
	for shift := uint(0); d.pos < len(d.in); shift += 7 {
		c := d.in[d.pos]
		if shift > 63 || shift == 63 && c&0x7f > 1 {
			return 0, d.malformed("a number is larger than 64 bits")
		}
		d.pos++
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n, nil
		}
	}
	return 0, d.malformed("the message ends within a number")
}

// sleb reads a signed number of at most 64 bits.
func (d *decoder) sleb() (int64, error) {
	var n uint64
	for shift := uint(0); d.pos < len(d.in); shift += 7 {
		c := d.in[d.pos]
		if shift > 63 || shift == 63 && c != 0 && c != 0x7f {
			return 0, d.malformed("a number is larger than 64 bits")
		}
		d.pos++
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if c&0x40 != 0 && shift+7 < 64 {
				n |= ^uint64(0) << (shift + 7)
			}
			return int64(n), nil
		}
	}
	return 0, d.malformed("the message ends within a number")
}

// maxSmallGroups is how many bytes of LEB128 fit 64 bits in any case.
const maxSmallGroups = 9

// groups returns the bytes of one LEB128 number of any length.
func (d *decoder) groups() ([]byte, error) {
	for end := d.pos; end < len(d.in); end++ {
		if d.in[end] < 0x80 {
			g := d.in[d.pos : end+1]
			d.pos = end + 1
			return g, nil
		}
	}
	return nil, d.malformed("the message ends within a number")
}

// smallNat reads a number of at most maxSmallGroups bytes. It reads nothing and returns false if there is none.
func (d *decoder) smallNat() (n uint64, ok bool) {
	for i, c := range d.in[d.pos:min(d.pos+maxSmallGroups, len(d.in))] {
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			d.pos += i + 1
			return n, true
		}
	}
	return 0, false
}

// shortNat returns the number at the beginning and its size, one or two bytes. The size is 0 if it has more bytes.
func shortNat(b []byte) (n uint64, size int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	if len(b) > 1 && b[1] < 0x80 {
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, 2
	}
	return 0, 0
}

func (d *decoder) nat() (Nat, error) {
	if n, ok := d.smallNat(); ok {
		return Nat{small: n}, nil
	}
	g, err := d.groups()
	if err != nil {
		return Nat{}, err
	}
	return natOf(groupsToBig(g)), nil
}

func (d *decoder) int() (Int, error) {
	g, err := d.groups()
	if err != nil {
		return Int{}, err
	}
	negative := g[len(g)-1]&0x40 != 0
	if len(g) > maxSmallGroups {
		n := groupsToBig(g)
		if negative {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(7*len(g))))
		}
		return intOf(n), nil
	}
	var n uint64
	for i, c := range g {
		n |= uint64(c&0x7f) << (7 * i)
	}
	if negative {
		n |= ^uint64(0) << (7 * len(g))
	}
	return Int{small: int64(n)}, nil
}
