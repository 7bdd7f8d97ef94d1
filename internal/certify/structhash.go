package certify

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// The representation-independent hash of structured data (interface
// specification, "Representation-independent Hashing of Structured Data").

// Value is structured data: one of Blob, Text, Nat64, Int64, Array and Fields.
type Value interface {
	structHash() [32]byte
}

type (
	// Blob hashes as its bytes.
	Blob []byte
	// Text hashes as its UTF-8.
	Text string
	// Nat64 hashes as its LEB128.
	Nat64 uint64
	// Int64 hashes as its SLEB128.
	Int64 int64
	// Array hashes as the hashes of its elements, one after the other.
	Array []Value
	// Fields is a map, in any order; a name must not repeat.
	Fields []Field
)

// Field is a name in a map and its value. A nil value is a missing optional field: it is ignored.
type Field struct {
	Name  string
	Value Value
}

func (v Blob) structHash() [32]byte { return sha256.Sum256(v) }

func (v Text) structHash() [32]byte { return sha256.Sum256([]byte(v)) }

func (v Nat64) structHash() [32]byte {
	var room [10]byte
	return sha256.Sum256(AppendNat(room[:0], uint64(v)))
}

func (v Int64) structHash() [32]byte {
	var room [10]byte
	return sha256.Sum256(appendInt(room[:0], int64(v)))
}

func (v Array) structHash() [32]byte {
	all := make([]byte, 0, 32*len(v))
	for _, e := range v {
		h := e.structHash()
		all = append(all, h[:]...)
	}
	return sha256.Sum256(all)
}

func (v Fields) structHash() [32]byte { return HashOfMap(v) }

// HashOfMap returns the hash of a map: the hash of a request's content is the request id.
func HashOfMap(fields Fields) [32]byte {
	pairs := make([][64]byte, 0, 16)
	for _, f := range fields {
		if f.Value == nil {
			continue
		}
		name, value := sha256.Sum256([]byte(f.Name)), f.Value.structHash()
		var pair [64]byte
		copy(pair[:32], name[:])
		copy(pair[32:], value[:])
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(a, b [64]byte) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for i := range pairs {
		h.Write(pairs[i][:])
	}
	return [32]byte(h.Sum(nil))
}
