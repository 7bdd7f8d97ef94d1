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
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/certify"
)

// BenchmarkAnUpdateOverHTTP prints what an update costs over its floor: a check
// of the signature, a BLS signature and a round trip over the loopback with
// bodies of the same size, all measured in the same run.
func BenchmarkAnUpdateOverHTTP(b *testing.B) {
	n := newFakeNetwork(b)
	n.answer = echo
	server := httptest.NewServer(New(n, Info{}))
	defer server.Close()
	requests := make([]wire.Signed, b.N)
	for i := range requests {
		requests[i] = sign(b, wire.NewCall(nnsCanister, "f", fmt.Appendf(nil, "%d", i)), alice(b))
	}
	url := server.URL + canisterURL("v4", nnsCanister, "call")
	overFloor(b, server.Client(), url, requests)
}

// BenchmarkAnUpdateOfARealCanisterOverHTTP is the same with a node and a Motoko
// counter, on the root subnet.
func BenchmarkAnUpdateOfARealCanisterOverHTTP(b *testing.B) {
	r, address := startNode(b, replica.SubnetConfig{})
	c := dialNode(b, address, "alice")
	counter := install(b, c, r.Node.View().DefaultCanister(), fixture(b, "counter.wasm"))
	requests := make([]wire.Signed, b.N)
	expiry := uint64(time.Now().Add(time.Minute).UnixNano())
	for i := range requests {
		draft := wire.NewCall(counter, "inc", none)
		draft.IngressExpiry, draft.Nonce = expiry, fmt.Appendf(nil, "%d", i)
		requests[i] = sign(b, draft, alice(b))
	}
	overFloor(b, http.DefaultClient, address+canisterURL("v4", counter, "call"), requests)
	http.DefaultClient.CloseIdleConnections()
	// The number means nothing unless every request was executed, once.
	reply, err := c.Query(b.Context(), counter, counter, "get", none)
	wantNumber(b, reply, err, uint64(b.N))
}

// overFloor sends the requests one after the other and reports their cost.
func overFloor(b *testing.B, c *http.Client, url string, requests []wire.Signed) {
	b.Helper()
	answer := exchange(b, c, url, requests[0].Body)
	floor := floorOf(b, requests[0].Body, answer)
	b.ResetTimer()
	for i := range requests {
		answer = exchange(b, c, url, requests[i].Body)
		if answered, err := wire.DecodeCallResponse(answer); err != nil || answered.Certificate == nil {
			b.Fatalf("request %d has no certificate: %+v, %v", i, answered, err)
		}
	}
	b.StopTimer()
	each := b.Elapsed() / time.Duration(len(requests))
	b.ReportMetric(float64(each)/float64(floor), "x-floor")
	b.ReportMetric(float64(floor.Microseconds()), "floor-µs")
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
func floorOf(b *testing.B, request, answer []byte) time.Duration {
	b.Helper()
	const rounds = 200
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(answer)
	}))
	defer echo.Close()
	seed := sha256.Sum256([]byte("floor"))
	key := ed25519.NewKeyFromSeed(seed[:])
	signature := ed25519.Sign(key, request)
	bls := certify.NewSubnetKey(certify.Seed{})
	exchange(b, echo.Client(), echo.URL, request)
	start := time.Now()
	for range rounds {
		exchange(b, echo.Client(), echo.URL, request)
		if !ed25519.Verify(key.Public().(ed25519.PublicKey), request, signature) {
			b.Fatal("the signature does not verify")
		}
		bls.Sign(request)
	}
	return time.Since(start) / rounds
}

// BenchmarkTheHandlerOfAQuery prints what a query costs over a check of its
// signature and the node's signature.
func BenchmarkTheHandlerOfAQuery(b *testing.B) {
	n := newFakeNetwork(b)
	h := New(n, Info{})
	signed := sign(b, wire.NewQuery(appCanister, "q", []byte("x")), alice(b))
	url := canisterURL("v3", appCanister, "query")
	b.ReportAllocs()
	for b.Loop() {
		if w := post(b, h, url, signed.Body); w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
