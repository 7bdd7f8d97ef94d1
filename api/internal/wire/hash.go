package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
)

// RequestID identifies a request: the representation-independent hash of its content (interface specification, "Request
// ids").
type RequestID [sha256.Size]byte

// String returns the textual form, 0x and lower-case hexadecimal digits.
func (id RequestID) String() string { return "0x" + hex.EncodeToString(id[:]) }

// Domain separators of signed bytes: one byte of length, then ASCII (interface
// specification, "Signatures").
const (
	domainRequest    = "\x0aic-request"
	domainDelegation = "\x1aic-request-auth-delegation"
	domainResponse   = "\x0bic-response"
	domainSenderInfo = "\x0eic-sender-info"
)

// signedBytes returns the bytes that a signature under this domain covers.
func signedBytes(domain string, hash [sha256.Size]byte) []byte {
	return append(append(make([]byte, 0, len(domain)+len(hash)), domain...), hash[:]...)
}

// hashRow is one field in the hash of a map: hash of the key, hash of the value.
type hashRow [2 * sha256.Size]byte

func newHashRow(key []byte, value [sha256.Size]byte) (row hashRow) {
	h, ok := keyHashes[string(key)]
	if !ok {
		h = sha256.Sum256(key)
	}
	copy(row[:sha256.Size], h[:])
	copy(row[sha256.Size:], value[:])
	return row
}

// keyHashes has the hashes of the keys that requests, delegations and signed responses have: half of the hashes of a small
// call.
var keyHashes = func() map[string][sha256.Size]byte {
	hashes := make(map[string][sha256.Size]byte)
	for _, key := range []string{
		"request_type", "sender", "nonce", "ingress_expiry", "canister_id", "method_name", "arg", "sender_info", "paths",
		"pubkey", "expiration", "targets", "permissions",
		"status", "reply", "timestamp", "request_id",
	} {
		hashes[key] = sha256.Sum256([]byte(key))
	}
	return hashes
}()

// fewRows is how many rows are hashed without an allocation. A call has seven.
const fewRows = 8

// hashRows hashes the rows in the order of their bytes. It sorts numbers of rows, so that callers can have the rows on the
// stack.
func hashRows(rows []hashRow) [sha256.Size]byte {
	var fewSorted [fewRows]int
	sorted := fewSorted[:0]
	for i := range rows {
		sorted = append(sorted, i)
	}
	slices.SortFunc(sorted, func(a, b int) int { return bytes.Compare(rows[a][:], rows[b][:]) })
	var fewJoined [fewRows * len(hashRow{})]byte
	joined := fewJoined[:0]
	for _, i := range sorted {
		joined = append(joined, rows[i][:]...)
	}
	return sha256.Sum256(joined)
}

// HashedMap is a map whose fields are added one by one, each name once, for its representation-independent hash.
type HashedMap struct{ rows []hashRow }

// Text adds a text.
func (m *HashedMap) Text(name, value string) {
	m.rows = append(m.rows, newHashRow([]byte(name), sha256.Sum256([]byte(value))))
}

// Nat adds a natural number.
func (m *HashedMap) Nat(name string, value uint64) {
	m.rows = append(m.rows, newHashRow([]byte(name), hashNat(value)))
}

// Hash returns the hash of the map.
func (m *HashedMap) Hash() [sha256.Size]byte { return hashRows(m.rows) }

// hashOfMap returns the representation-independent hash of a map as it was sent, with all its fields.
func hashOfMap(fs fields) ([sha256.Size]byte, error) {
	var few [fewRows]hashRow
	rows := few[:0]
	for i := range fs {
		value, err := hashOf(&fs[i].value)
		if err != nil {
			return [sha256.Size]byte{}, fmt.Errorf("field `%s`: %w", fs[i].key, err)
		}
		rows = append(rows, newHashRow(fs[i].key, value))
	}
	return hashRows(rows), nil
}

func hashOf(it *item) ([sha256.Size]byte, error) {
	switch it.kind {
	case kindBlob, kindText:
		return sha256.Sum256(it.body), nil
	case kindNat:
		return hashNat(it.num), nil
	case kindNegative:
		return hashNegative(it.num)
	case kindArray:
		joined := make([]byte, 0, it.num*sha256.Size)
		err := it.elements(func(element item) error {
			h, err := hashOf(&element)
			joined = append(joined, h[:]...)
			return err
		})
		return sha256.Sum256(joined), err
	case kindMap:
		fs, err := fieldsOf(*it, "map")
		if err != nil {
			return [sha256.Size]byte{}, err
		}
		return hashOfMap(fs)
	}
	return [sha256.Size]byte{}, fmt.Errorf("%s has no representation-independent hash", it.kind)
}

// hashNat hashes the shortest unsigned LEB128 form.
func hashNat(n uint64) [sha256.Size]byte {
	var leb [10]byte
	i := 0
	for ; n >= 0x80; i++ {
		leb[i] = byte(n) | 0x80
		n >>= 7
	}
	leb[i] = byte(n)
	return sha256.Sum256(leb[:i+1])
}

// hashNegative hashes the shortest signed LEB128 form of -1-n.
func hashNegative(n uint64) ([sha256.Size]byte, error) {
	if n > math.MaxInt64 {
		return [sha256.Size]byte{}, errors.New("a negative number of more than 64 bits")
	}
	v := -1 - int64(n)
	leb := make([]byte, 0, 10)
	for v < -0x40 {
		leb = append(leb, byte(v)|0x80)
		v >>= 7
	}
	return sha256.Sum256(append(leb, byte(v)&0x7f)), nil
}
