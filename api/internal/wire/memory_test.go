package wire

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
)

// chunkedBlob is a blob of n chunks of one byte each.
func chunkedBlob(n int) []byte {
	return append(append([]byte{0x5f}, bytes.Repeat([]byte{0x41, 'x'}, n)...), 0xff)
}

// canisterTree is the beginning of a canister signature of this size whose tree is
// nothing but forks: wide ones of empty trees, or one within the other.
func canisterTree(size int, deep byte) []byte {
	sig := append(append([]byte{}, selfDescribed...), "\xa2\x6bcertificate\x40\x64tree"...)
	for len(sig) < size {
		if deep == 0x83 {
			sig = append(sig, 0x83, 1)
		} else {
			sig = append(sig, 0x83, 1, 0x81, 0)
		}
	}
	return sig
}

// signedBy is a call by a user of a canister, signed with these bytes.
func signedBy(canister principal.Principal, sig []byte) []byte {
	der := canisterKey(canister, "seed")
	sender := principal.SelfAuthenticating(der)
	return envelopeOf(callContent(pair{"sender", blob(sender.Bytes())}), pair{"sender_pubkey", blob(der)}, pair{"sender_sig", blob(sig)})
}

// maxAllocated bounds what decoding and authenticating any one body may allocate
// in all: eight times the largest body.
const maxAllocated = 8 * MaxBodyBytes

func TestHostileBodiesAreReadInBoundedMemory(t *testing.T) {
	emptyArrays := repeat(maxItems-100, array())
	for name, c := range map[string]struct {
		kind string
		body []byte
	}{
		"the most paths":              {"read_state", envelopeOf(readStateContent(repeat(MaxPaths, repeat(MaxLabelsPerPath, blob(nil)))))},
		"an unknown field of numbers": {"call", envelopeOf(callContent(pair{"x", repeat(maxItems-100, nat(0))}))},
		"an unknown field of arrays":  {"call", envelopeOf(callContent(pair{"x", emptyArrays}))},
		"an ignored field of arrays":  {"call", envelopeOf(callContent(), pair{"x", emptyArrays})},
		"a blob in many chunks":       {"call", envelopeOf(callContent(pair{"arg", chunkedBlob(2_600_000)}))},
		"the most targets":            {"call", withDelegations(repeat(MaxDelegations, delegationOf(pair{"targets", repeat(MaxTargetsPerDelegation, blob(nil))})))},
		"nothing but array heads":     {"call", bytes.Repeat([]byte{0x81}, MaxBodyBytes)},
		"nothing but open maps":       {"call", bytes.Repeat([]byte{0xbf}, MaxBodyBytes)},
		"nothing but tags":            {"call", bytes.Repeat([]byte{0xc2}, MaxBodyBytes)},
		"nothing but numbers":         {"call", append([]byte{0x9f}, make([]byte, MaxBodyBytes-1)...)},
		"a canister's largest tree":   {"call", signedBy(hello, canisterTree(maxCanisterSignature-10, 0x80))},
		"a canister's deepest tree":   {"call", signedBy(hello, canisterTree(maxCanisterSignature-10, 0x83))},
		"too large a tree":            {"call", signedBy(hello, canisterTree(maxCanisterSignature+10, 0x80))},
	} {
		if len(c.body) > MaxBodyBytes {
			t.Fatalf("%s: the body has %d bytes", name, len(c.body))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		req, err := decodeAny(c.kind, c.body)
		if err == nil {
			_, _ = Authenticate(req, instant, nil)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > maxAllocated {
			t.Errorf("%s: %d bytes allocated for a body of %d", name, got, len(c.body))
		}
	}
}
