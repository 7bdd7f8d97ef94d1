package ic

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// BenchmarkRatioUpdateOverHTTP is a signed update of one client, from the request on
// the wire to the certificate, by a driver with a Motoko counter on one application
// subnet; the floor is a check of the signature, a BLS signature and a round trip
// over the loopback with bodies of the same size.
func BenchmarkRatioUpdateOverHTTP(b *testing.B) {
	r, address := startNode(b, replica.SubnetConfig{Kind: replica.Application})
	c := dialNode(b, address, "alice")
	counter := install(b, c, r.Driver.View().DefaultCanister(), fixture(b, "counter.wasm"))
	url := address + canisterURL("v4", counter, "call")
	defer http.DefaultClient.CloseIdleConnections()
	sent := uint64(0)
	next := func() []byte {
		sent++
		draft := wire.NewCall(counter, "inc", none)
		draft.IngressExpiry, draft.Nonce = uint64(time.Now().Add(time.Minute).UnixNano()), fmt.Appendf(nil, "%d", sent)
		return sign(b, draft, alice(b)).Body
	}
	body := next()
	answer := exchange(b, http.DefaultClient, url, body)
	ratio.CompareTimed(b, 2, func() time.Duration {
		body := next()
		start := time.Now()
		answer := exchange(b, http.DefaultClient, url, body)
		took := time.Since(start)
		if answered, err := wire.DecodeCallResponse(answer); err != nil || answered.Certificate == nil {
			b.Fatalf("request %d has no certificate: %+v, %v", sent, answered, err)
		}
		return took
	}, floorOf(b, body, answer))
	// The number means nothing unless every request was executed, once.
	reply, err := c.Query(b.Context(), counter, counter, "get", none)
	wantNumber(b, reply, err, sent)
}

// BenchmarkRatioFrontEnd is the front end's part of an update, with a network that
// answers at once; the floor is the same.
func BenchmarkRatioFrontEnd(b *testing.B) {
	n := newFakeNetwork(b)
	n.answer = echo
	server := httptest.NewServer(New(n, Info{}))
	defer server.Close()
	url := server.URL + canisterURL("v4", nnsCanister, "call")
	sent := 0
	next := func() []byte {
		sent++
		return sign(b, wire.NewCall(nnsCanister, "f", fmt.Appendf(nil, "%d", sent)), alice(b)).Body
	}
	body := next()
	answer := exchange(b, server.Client(), url, body)
	ratio.CompareTimed(b, 1.8, func() time.Duration {
		body := next()
		start := time.Now()
		exchange(b, server.Client(), url, body)
		return time.Since(start)
	}, floorOf(b, body, answer))
}

func exchange(b *testing.B, c *http.Client, url string, body []byte) []byte {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/cbor")
	resp, err := c.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("status %d: %s, %v", resp.StatusCode, answer, err)
	}
	return answer
}

// floorOf is what cannot be saved, for one update.
func floorOf(b *testing.B, request, answer []byte) func() time.Duration {
	b.Helper()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(answer)
	}))
	b.Cleanup(echo.Close)
	seed := sha256.Sum256([]byte("floor"))
	key := ed25519.NewKeyFromSeed(seed[:])
	signature := ed25519.Sign(key, request)
	bls := certify.NewSubnetKey(certify.Seed{})
	return func() time.Duration {
		start := time.Now()
		exchange(b, echo.Client(), echo.URL, request)
		if !ed25519.Verify(key.Public().(ed25519.PublicKey), request, signature) {
			b.Fatal("the signature does not verify")
		}
		bls.Sign(request)
		return time.Since(start)
	}
}

// BenchmarkRatioQuery is the handler of a query, with a network that answers at once; the
// floor is a check of its signature and the node's signature.
func BenchmarkRatioQuery(b *testing.B) {
	n := newFakeNetwork(b)
	h := New(n, Info{})
	signed := sign(b, wire.NewQuery(appCanister, "q", []byte("x")), alice(b))
	url := canisterURL("v3", appCanister, "query")
	seed := sha256.Sum256([]byte("floor"))
	key := ed25519.NewKeyFromSeed(seed[:])
	signature := ed25519.Sign(key, signed.Body)
	ratio.Compare(b, 1.8, ratio.Each(func() {
		if w := post(b, h, url, signed.Body); w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}), ratio.Each(func() {
		if !ed25519.Verify(key.Public().(ed25519.PublicKey), signed.Body, signature) {
			b.Fatal("the signature does not verify")
		}
		ed25519.Sign(key, signature)
	}))
}
