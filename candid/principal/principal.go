package principal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// MaxLen is the largest number of bytes in a principal (interface
// specification, "Principals").
const MaxLen = 29

// Principal is a principal as a comparable value: usable as a map key, comparable by ==. The zero value is the
// management canister, the empty principal.
type Principal struct {
	// The bytes, followed by zeros and by their number in the last byte of w3, as big-endian words. Unlike an array, four
	// words are passed in registers; their order is that of Compare.
	w0, w1, w2, w3 uint64
}

// padded has the words of a principal.
type padded [32]byte

func (b *padded) principal(length int) Principal {
	b[len(b)-1] = byte(length)
	return Principal{
		binary.BigEndian.Uint64(b[0:]), binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[16:]), binary.BigEndian.Uint64(b[24:]),
	}
}

func (p Principal) padded() (b padded) {
	binary.BigEndian.PutUint64(b[0:], p.w0)
	binary.BigEndian.PutUint64(b[8:], p.w1)
	binary.BigEndian.PutUint64(b[16:], p.w2)
	binary.BigEndian.PutUint64(b[24:], p.w3)
	return b
}

// Class says how a principal was derived, by its last byte (interface specification, "Special forms of Principals").
type Class uint8

const (
	ClassManagement         Class = iota // no bytes at all
	ClassOpaque                          // ends in 01: canisters
	ClassSelfAuthenticating              // ends in 02: hash of a public key
	ClassDerived                         // ends in 03
	ClassAnonymous                       // the single byte 04
	ClassReserved                        // ends in 7f
	ClassOther
)

var (
	// Management is the management canister, aaaaa-aa.
	Management = Principal{}
	// Anonymous is the sender of a request without a signature, 2vxsx-fae.
	Anonymous = Principal{w0: 4 << 56, w3: 1}
)

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// group is how many characters of the textual form are between two dashes.
const group = 5

// FromBytes returns the principal with these bytes, at most MaxLen of them.
func FromBytes(raw []byte) (Principal, error) {
	if len(raw) > MaxLen {
		return Principal{}, fmt.Errorf("a principal has at most %d bytes, got %d", MaxLen, len(raw))
	}
	var b padded
	copy(b[:], raw)
	return b.principal(len(raw)), nil
}

// MustFromBytes is FromBytes for bytes known to fit; it panics if they do not.
func MustFromBytes(raw []byte) Principal {
	p, err := FromBytes(raw)
	if err != nil {
		panic(err)
	}
	return p
}

// Canister returns the id of the canister with this number: the number in eight bytes, big-endian, then 01 01.
func Canister(number uint64) Principal {
	return Principal{w0: number, w1: canisterEnd, w3: canisterLen}
}

// A canister id ends in 01 01, and has ten bytes.
const (
	canisterEnd = 0x0101 << 48
	canisterLen = 10
)

// CanisterNumber returns the number of a canister id, and false if the principal does not have the form of Canister.
func (p Principal) CanisterNumber() (uint64, bool) {
	return p.w0, p.w1 == canisterEnd && p.w3 == canisterLen
}

// SelfAuthenticating returns the principal of a public key in DER form: its SHA-224 and the byte 02.
func SelfAuthenticating(der []byte) Principal {
	h := sha256.Sum224(der)
	var b padded
	b[copy(b[:], h[:])] = 2
	return b.principal(MaxLen)
}

// Parse reads the textual form, in upper or lower case. An accepted text prints back the same in lower case.
func Parse(text string) (Principal, error) {
	lower := strings.ToLower(text)
	raw, err := encoding.DecodeString(strings.ReplaceAll(lower, "-", ""))
	if err != nil {
		return Principal{}, fmt.Errorf("%q is not a principal: not base32: %w", text, err)
	}
	if len(raw) < 4 {
		return Principal{}, fmt.Errorf("%q is not a principal: shorter than its checksum", text)
	}
	p, err := FromBytes(raw[4:])
	if err != nil {
		return Principal{}, fmt.Errorf("%q is not a principal: %w", text, err)
	}
	if crc32.ChecksumIEEE(raw[4:]) != binary.BigEndian.Uint32(raw) {
		return Principal{}, fmt.Errorf("%q is not a principal: its checksum does not match", text)
	}
	if p.String() != lower {
		return Principal{}, fmt.Errorf("%q is not a principal: write it as %s", text, p)
	}
	return p, nil
}

// MustParse is Parse for constants; it panics if the text is invalid.
func MustParse(text string) Principal {
	p, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}

// String returns the textual form: base32 of checksum and bytes in lower case, in groups of five.
func (p Principal) String() string {
	b, length := p.padded(), p.Len()
	var raw [4 + MaxLen]byte
	binary.BigEndian.PutUint32(raw[:4], crc32.ChecksumIEEE(b[:length]))
	n := 4 + copy(raw[4:], b[:length])
	var packed [64]byte
	encoding.Encode(packed[:], raw[:n])
	size := encoding.EncodedLen(n)
	out := make([]byte, 0, len(packed)+len(packed)/group)
	for from := 0; from < size; from += group {
		if from > 0 {
			out = append(out, '-')
		}
		out = append(out, packed[from:min(from+group, size)]...)
	}
	return string(out)
}

// Bytes returns a copy of the principal's bytes.
func (p Principal) Bytes() []byte {
	b := p.padded()
	return bytes.Clone(b[:p.Len()])
}

// Append appends the principal's bytes to dst.
func (p Principal) Append(dst []byte) []byte {
	b := p.padded()
	return append(dst, b[:p.Len()]...)
}

// Len returns the number of bytes, 0 to MaxLen.
func (p Principal) Len() int { return int(byte(p.w3)) }

// Compare orders principals by their bytes, a prefix first: the order of
// labels in the certified state tree.
func (p Principal) Compare(q Principal) int {
	switch {
	case p.w0 != q.w0:
		return cmp.Compare(p.w0, q.w0)
	case p.w1 != q.w1:
		return cmp.Compare(p.w1, q.w1)
	case p.w2 != q.w2:
		return cmp.Compare(p.w2, q.w2)
	}
	return cmp.Compare(p.w3, q.w3)
}

// CompareLengthFirst orders principals as the replica orders its sets of them: a shorter one first, then by their bytes.
func (p Principal) CompareLengthFirst(q Principal) int {
	if p.Len() != q.Len() {
		return cmp.Compare(p.Len(), q.Len())
	}
	return p.Compare(q)
}

// Class returns the class that the last byte indicates.
func (p Principal) Class() Class {
	b, length := p.padded(), p.Len()
	if length == 0 {
		return ClassManagement
	}
	switch b[length-1] {
	case 1:
		return ClassOpaque
	case 2:
		if length == MaxLen {
			return ClassSelfAuthenticating
		}
	case 3:
		return ClassDerived
	case 4:
		if length == 1 {
			return ClassAnonymous
		}
	case 0x7f:
		return ClassReserved
	}
	return ClassOther
}

// IsAnonymous reports whether p is the anonymous principal.
func (p Principal) IsAnonymous() bool { return p == Anonymous }

// MarshalText returns the textual form, for JSON.
func (p Principal) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText parses the textual form, for JSON.
func (p *Principal) UnmarshalText(text []byte) error {
	if p == nil {
		return errors.New("no principal to read into")
	}
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}
