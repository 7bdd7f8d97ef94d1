package component

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// liftedText is a string on its way between components. Its encoding decides how it is copied.
type liftedText struct {
	text     string
	encoding byte   // optionUTF8, optionUTF16, or optionLatin1 for one of bytes
	units    uint32 // code units in that encoding
	tagged   bool   // UTF-16 in an instance that could have used Latin-1
}

// utf16Tag marks the length of a string in UTF-16 where Latin-1 is possible.
const utf16Tag = 1 << 31

// loadText reads a string, as a Go string for callers outside.
func (a *abi) loadText(pointer, units uint32) any {
	t := liftedText{encoding: a.encoding, units: units}
	align, size := uint64(1), uint64(units)
	switch {
	case a.encoding == optionUTF8:
	case a.encoding == optionUTF16:
		align, size = 2, 2*size
	case units&utf16Tag != 0:
		t.encoding, t.units, t.tagged = optionUTF16, units&^utf16Tag, true
		align, size = 2, 2*uint64(t.units)
	default:
		align = 2
	}
	if size > maxContentBytes {
		trap("string of %d bytes exceeds the limit of %d", size, maxContentBytes)
	}
	a.checkRange(pointer, align, size, "string")
	a.charge(size)
	t.text = decode(a.bytes(pointer, uint32(size)), t.encoding)
	if a.outside {
		return t.text
	}
	return t
}

func decode(b []byte, encoding byte) string {
	switch encoding {
	case optionUTF8:
		if !utf8.Valid(b) {
			trap("%s", utf8Fault(b))
		}
		return string(b)
	case optionUTF16:
		return decodeUTF16(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

func utf8Fault(b []byte) string {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			break
		}
		b = b[n:]
	}
	if !utf8.FullRune(b) {
		return "incomplete utf-8 byte sequence"
	}
	return "invalid utf-8"
}

func decodeUTF16(b []byte) string {
	text := make([]byte, 0, len(b))
	for i := 0; i < len(b); i += 2 {
		r := rune(binary.LittleEndian.Uint16(b[i:]))
		if utf16.IsSurrogate(r) {
			if i+4 > len(b) {
				trap("invalid utf-16")
			}
			i += 2
			if r = utf16.DecodeRune(r, rune(binary.LittleEndian.Uint16(b[i:]))); r == utf8.RuneError {
				trap("invalid utf-16")
			}
		}
		text = utf8.AppendRune(text, r)
	}
	return string(text)
}

// storeText writes a string in the encoding of the instance. It calls realloc as often, and with the same sizes, as the
// specification says for the two encodings.
func (a *abi) storeText(v any) (pointer, units uint32) {
	t, ok := v.(liftedText)
	if !ok {
		text := v.(string)
		listSize(len(text), 2)
		t = liftedText{text: text, encoding: optionUTF8, units: uint32(len(text))}
	}
	switch a.encoding {
	case optionUTF8:
		if t.encoding == optionUTF8 {
			return a.copyText([]byte(t.text), 1, t.units)
		}
		return a.storeAsUTF8(t)
	case optionUTF16:
		if t.encoding != optionUTF8 {
			return a.copyText(encodeUTF16(t.text), 2, t.units)
		}
		return a.storeAsUTF16(t)
	}
	switch {
	case t.encoding == optionLatin1:
		return a.copyText(encodeLatin1(t.text), 2, t.units)
	case t.tagged:
		return a.storeProbablyUTF16(t)
	}
	return a.storeAsLatin1(t)
}

func encodeUTF16(text string) []byte {
	b := make([]byte, 0, 2*len(text))
	for _, r := range text {
		for _, unit := range utf16.AppendRune(nil, r) {
			b = binary.LittleEndian.AppendUint16(b, unit)
		}
	}
	return b
}

func encodeLatin1(text string) []byte {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		b = append(b, byte(r))
	}
	return b
}

func isLatin1(text string) bool {
	for _, r := range text {
		if r > 0xff {
			return false
		}
	}
	return true
}

func (a *abi) copyText(b []byte, align uint64, units uint32) (uint32, uint32) {
	pointer := a.allocate(align, uint64(len(b)), "string")
	copy(a.bytes(pointer, uint32(len(b))), b)
	return pointer, units
}

// shrink gives back what a string does not need of its allocation.
func (a *abi) shrink(pointer uint32, size, align uint64, need int) uint32 {
	if uint64(need) < size {
		return a.reallocate(pointer, size, align, uint64(need), "string")
	}
	return pointer
}

// storeAsUTF8 takes a string for ASCII until it finds another character.
func (a *abi) storeAsUTF8(t liftedText) (uint32, uint32) {
	units := uint64(t.units)
	pointer := a.allocate(1, units, "string")
	if len(t.text) > int(units) || !isASCII(t.text) {
		worst := 3 * units
		if t.encoding == optionLatin1 {
			worst = 2 * units
		}
		pointer = a.reallocate(pointer, units, 1, worst, "string")
		copy(a.bytes(pointer, uint32(len(t.text))), t.text)
		return a.shrink(pointer, worst, 1, len(t.text)), uint32(len(t.text))
	}
	copy(a.bytes(pointer, t.units), t.text)
	return pointer, t.units
}

func isASCII(text string) bool {
	for _, c := range []byte(text) {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (a *abi) storeAsUTF16(t liftedText) (uint32, uint32) {
	worst := 2 * uint64(t.units)
	pointer := a.allocate(2, worst, "string")
	b := encodeUTF16(t.text)
	copy(a.bytes(pointer, uint32(len(b))), b)
	return a.shrink(pointer, worst, 2, len(b)), uint32(len(b) / 2)
}

// storeAsLatin1 takes a string for Latin-1 until it finds another character.
func (a *abi) storeAsLatin1(t liftedText) (uint32, uint32) {
	units := uint64(t.units)
	pointer := a.allocate(2, units, "string")
	if isLatin1(t.text) {
		b := encodeLatin1(t.text)
		copy(a.bytes(pointer, uint32(len(b))), b)
		return a.shrink(pointer, units, 2, len(b)), uint32(len(b))
	}
	worst := 2 * units
	pointer = a.reallocate(pointer, units, 2, worst, "string")
	b := encodeUTF16(t.text)
	copy(a.bytes(pointer, uint32(len(b))), b)
	return a.shrink(pointer, worst, 2, len(b)), uint32(len(b)/2) | utf16Tag
}

// storeProbablyUTF16 writes a string in UTF-16, and makes it smaller if Latin-1 is enough after all.
func (a *abi) storeProbablyUTF16(t liftedText) (uint32, uint32) {
	size := 2 * uint64(t.units)
	pointer := a.allocate(2, size, "string")
	b := encodeUTF16(t.text)
	copy(a.bytes(pointer, uint32(len(b))), b)
	if !isLatin1(t.text) {
		return pointer, t.units | utf16Tag
	}
	b = encodeLatin1(t.text)
	copy(a.bytes(pointer, uint32(len(b))), b)
	return a.reallocate(pointer, size, 1, uint64(len(b)), "string"), uint32(len(b))
}
