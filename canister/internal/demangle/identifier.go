package demangle

import (
	"math"
	"slices"
	"unicode/utf8"
)

// identifier is a name in a v0 symbol. If it has non-ASCII characters, punycode encodes them and their positions.
type identifier struct{ ascii, punycode string }

func (i identifier) empty() bool { return i.ascii == "" && i.punycode == "" }

func (i identifier) String() string {
	if i.punycode == "" {
		return i.ascii
	}
	if decoded, ok := i.decode(); ok {
		return decoded
	}
	if i.ascii == "" {
		return "punycode{" + i.punycode + "}"
	}
	return "punycode{" + i.ascii + "-" + i.punycode + "}"
}

// The parameters of Punycode (RFC 3492, section 5).
const (
	punyBase  = 36
	punyMin   = 1
	punyMax   = 26
	punySkew  = 38
	punyDamp  = 700
	punyBias  = 72
	punyStart = 0x80
)

// decode inserts the characters of the Punycode part (RFC 3492, section 6.2). It returns false if that is invalid or
// too long.
func (i identifier) decode() (string, bool) {
	if len(i.ascii) > maxUnicodeRunes {
		return "", false
	}
	text := []rune(i.ascii)
	bias, damp, at, code := punyBias, punyDamp, 0, punyStart
	for rest := i.punycode; rest != ""; {
		delta, after, ok := punyDelta(rest, bias)
		if !ok || len(text) == maxUnicodeRunes || delta > math.MaxInt-at {
			return "", false
		}
		rest = after
		size := len(text) + 1
		at += delta
		if code += at / size; code > utf8.MaxRune || !utf8.ValidRune(rune(code)) {
			return "", false
		}
		at %= size
		text = slices.Insert(text, at, rune(code))
		at++
		bias = punyAdapt(delta/damp, size)
		damp = 2
	}
	return string(text), true
}

// punyDelta reads one number of variable length.
func punyDelta(text string, bias int) (delta int, rest string, ok bool) {
	weight := 1
	for k := punyBase; ; k += punyBase {
		if text == "" {
			return 0, "", false
		}
		var digit int
		switch b := text[0]; {
		case b >= 'a' && b <= 'z':
			digit = int(b - 'a')
		case b >= '0' && b <= '9':
			digit = int(b-'0') + 26
		default:
			return 0, "", false
		}
		text = text[1:]
		if digit > 0 && weight > (math.MaxInt-delta)/digit {
			return 0, "", false
		}
		delta += digit * weight
		threshold := min(max(k-bias, punyMin), punyMax)
		if digit < threshold {
			return delta, text, true
		}
		if weight > math.MaxInt/(punyBase-threshold) {
			return 0, "", false
		}
		weight *= punyBase - threshold
	}
}

// punyAdapt returns the next bias.
func punyAdapt(delta, size int) int {
	delta += delta / size
	k := 0
	for ; delta > (punyBase-punyMin)*punyMax/2; k += punyBase {
		delta /= punyBase - punyMin
	}
	return k + (punyBase-punyMin+1)*delta/(delta+punySkew)
}
