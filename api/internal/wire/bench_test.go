package wire

import (
	"crypto/ed25519"
	"crypto/sha256"
	"testing"
	"time"
)

// BenchmarkSignedCall prints decoding and authenticating a signed call as a
// ratio to its floor, measured in the same run: the bare check of the signature
// and one SHA-256 over the argument, which the request id needs.
func BenchmarkSignedCall(b *testing.B) {
	for name, size := range map[string]int{"small": 32, "2MB": 2 << 20} {
		b.Run(name, func(b *testing.B) {
			benchmarkSignedCall(b, NewCall(hello, "greet", make([]byte, size)))
		})
	}
}

func benchmarkSignedCall(b *testing.B, draft *Draft) {
	body := sign(b, draft, person(b, "alice")).Body
	call, err := DecodeCall(body)
	if err != nil {
		b.Fatal(err)
	}
	key, message, sig := call.Auth.PublicKey[12:], signedBytes(domainRequest, call.ID), call.Auth.Signature
	var ours, floor time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		call, err := DecodeCall(body)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Authenticate(call, instant); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		sha256.Sum256(call.Arg)
		if !ed25519.Verify(key, message, sig) {
			b.Fatal("the floor's signature is wrong")
		}
		floor += time.Since(middle)
		ours += middle.Sub(start)
	}
	b.ReportMetric(float64(ours)/float64(floor), "ratio-to-floor")
	b.ReportMetric(float64(ours-floor)/float64(b.N), "ns-beyond-floor/op")
}

func BenchmarkDecodeCall(b *testing.B) {
	body := sign(b, helloCall(), person(b, "alice")).Body
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeCall(body); err != nil {
			b.Fatal(err)
		}
	}
}
