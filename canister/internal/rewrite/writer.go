package rewrite

import (
	"math/bits"
	"strconv"
)

func appendU32(out []byte, v uint32) []byte { return appendU64(out, uint64(v)) }

func appendU64(out []byte, v uint64) []byte {
	for v >= 0x80 {
		out = append(out, byte(v)|0x80)
		v >>= 7
	}
	return append(out, byte(v))
}

// sizeU32 returns the number of bytes that appendU32 appends.
func sizeU32(v uint32) int { return (bits.Len32(v|1) + 6) / 7 }

func appendSigned(out []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && b&0x40 == 0) || (v == -1 && b&0x40 != 0) {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// reservedCharge is the width of the operand of a charge, which is filled in when its block is complete: a padded
// signed LEB128.
const reservedCharge = 8

// putCharge writes the amount to subtract from the counter.
func putCharge(at []byte, charge uint64) {
	for i := range reservedCharge - 1 {
		at[i] = byte(charge>>(7*i))&0x7f | 0x80
	}
	at[reservedCharge-1] = byte(charge>>(7*(reservedCharge-1))) & 0x3f
}

func appendName(out []byte, name string) []byte {
	return append(appendU32(out, uint32(len(name))), name...)
}

// appendSection appends a section, preceded by its size.
func appendSection(out []byte, id byte, content []byte) []byte {
	out = append(out, id)
	out = appendU32(out, uint32(len(content)))
	return append(out, content...)
}

func decimal(v uint64) string { return strconv.FormatUint(v, 10) }
