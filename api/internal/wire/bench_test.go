package wire

import (
	"crypto/ed25519"
	"crypto/sha256"
	"testing"

	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// BenchmarkRatioSignedCall decodes and authenticates a signed call; the floor is the
// bare check of the signature and one SHA-256 over the argument, which the request id
// needs.
func BenchmarkRatioSignedCall(b *testing.B) {
	b.Run("small", func(b *testing.B) { signedCall(b, 32) })
	b.Run("2MB", func(b *testing.B) { signedCall(b, 2<<20) })
}

func signedCall(b *testing.B, size int) {
	body := sign(b, NewCall(hello, "greet", make([]byte, size)), person(b, "alice")).Body
	call, err := DecodeCall(body)
	if err != nil {
		b.Fatal(err)
	}
	key, message, sig := call.Auth.PublicKey[12:], signedBytes(domainRequest, call.ID), call.Auth.Signature
	ratio.Compare(b, 1.5, ratio.Each(func() {
		call, err := DecodeCall(body)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Authenticate(call, instant, nil); err != nil {
			b.Fatal(err)
		}
	}), ratio.Each(func() {
		sha256.Sum256(call.Arg)
		if !ed25519.Verify(key, message, sig) {
			b.Fatal("the floor's signature is wrong")
		}
	}))
}

// BenchmarkRatioDecodeCall decodes a small signed call and makes its request id; the floor is one SHA-256 over its bytes.
// The bound is 3.8: a request id takes seven hashes of values, 80 ns each, and one of 448 bytes, 320 ns, where the floor
// takes 230. To check and collect the fields takes 2.9 of the ratio, a third of it for their memory, and the request 1.
func BenchmarkRatioDecodeCall(b *testing.B) {
	body := sign(b, helloCall(), person(b, "alice")).Body
	ratio.Compare(b, 11, ratio.Each(func() {
		if _, err := DecodeCall(body); err != nil {
			b.Fatal(err)
		}
	}), ratio.Each(func() { sha256.Sum256(body) }))
}

// BenchmarkRatioCallOfACanistersUser authenticates a call by a session of a user whom
// a canister vouches for, as Internet Identity's users send; the floor is the check of
// the session's own signature: what the canister signed was seen before.
func BenchmarkRatioCallOfACanistersUser(b *testing.B) {
	a := newAuthority()
	trust := a.trust(b)
	session := delegate(b, a.identity(a.subnet), DelegationTerms{})
	call, err := DecodeCall(sign(b, helloCall(), session).Body)
	if err != nil {
		b.Fatal(err)
	}
	key, message, sig := call.Auth.Delegations[0].PublicKey[12:], signedBytes(domainRequest, call.ID), call.Auth.Signature
	ratio.Compare(b, 1.8, ratio.Each(func() {
		if _, err := Authenticate(call, instant, trust); err != nil {
			b.Fatal(err)
		}
	}), ratio.Each(func() {
		if !ed25519.Verify(key, message, sig) {
			b.Fatal("the floor's signature is wrong")
		}
	}))
}

// BenchmarkRatioSignAQueryResponse signs a response to a query; the floor is the Ed25519 signature.
func BenchmarkRatioSignAQueryResponse(b *testing.B) {
	key, response := certify.NewNodeKey(certify.Seed{1}), QueryResponse{Reply: make([]byte, 100)}
	message := QueryResponseMessage(response, RequestID{}, instant)
	ratio.Compare(b, 1.6, ratio.Each(func() { key.Sign(QueryResponseMessage(response, RequestID{}, instant)) }), ratio.Each(func() { key.Sign(message) }))
}
