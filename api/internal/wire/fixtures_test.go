package wire

import (
	"crypto/ed25519"
	"crypto/sha256"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// instant is the time of these tests, in nanoseconds since 1970.
const instant uint64 = 1_685_570_400_000_000_000

const minute uint64 = 60 * 1e9

var (
	hello    = principal.Canister(7)
	stranger = principal.Canister(8)
)

// person is an identity with a key of its own, told apart by name.
func person(t testing.TB, name string) Identity {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	id, err := NewEd25519Identity(ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func sign(t testing.TB, d *Draft, id Identity) Signed {
	t.Helper()
	d.IngressExpiry = instant + minute
	s, err := d.Sign(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func helloCall() *Draft { return NewCall(hello, "greet", []byte("DIDL\x00\x00")) }

// delegate makes a chain over keys called 1, 2, 3… with these terms.
func delegate(t testing.TB, from Identity, chain ...DelegationTerms) Identity {
	t.Helper()
	for i, terms := range chain {
		if terms.Expiration == 0 {
			terms.Expiration = instant + minute
		}
		next, err := from.Delegate(person(t, string(rune('1'+i))), terms)
		if err != nil {
			t.Fatal(err)
		}
		from = next
	}
	return from
}

// pair is a field of a hand-made map, its value encoded already.
type pair struct {
	key   string
	value []byte
}

func encodeMap(pairs ...pair) []byte {
	dst := appendMap(nil, len(pairs))
	for _, p := range pairs {
		dst = append(appendText(dst, p.key), p.value...)
	}
	return dst
}

func blob(b []byte) []byte { return appendBlob(nil, b) }
func text(s string) []byte { return appendText(nil, s) }
func nat(n uint64) []byte  { return certify.AppendHead(nil, majorNat, n) }
func array(elements ...[]byte) []byte {
	dst := appendArray(nil, len(elements))
	for _, e := range elements {
		dst = append(dst, e...)
	}
	return dst
}

// callContent is the content of an anonymous call with fields replaced by, or
// extended with, the given ones. A nil value takes the field away.
func callContent(changes ...pair) []byte {
	pairs := []pair{
		{"request_type", text("call")},
		{"canister_id", blob(hello.Bytes())},
		{"method_name", text("greet")},
		{"arg", blob([]byte("DIDL\x00\x00"))},
		{"ingress_expiry", nat(instant + minute)},
		{"sender", blob(principal.Anonymous.Bytes())},
	}
	return encodeMap(changed(pairs, changes)...)
}

func changed(pairs, changes []pair) []pair {
	for _, c := range changes {
		kept := pairs[:0:0]
		for _, p := range pairs {
			if p.key != c.key {
				kept = append(kept, p)
			}
		}
		if pairs = kept; c.value != nil {
			pairs = append(pairs, c)
		}
	}
	return pairs
}

func envelopeOf(content []byte, more ...pair) []byte {
	return append([]byte{0xd9, 0xd9, 0xf7}, encodeMap(append([]pair{{"content", content}}, more...)...)...)
}
