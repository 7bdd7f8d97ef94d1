package gateway

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/gateway/internal/verify"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/budget"
)

func TestHeadersOf64KiBArePassedOn(t *testing.T) {
	for size, want := range map[int]bool{65_536: true, 65_537: false} {
		header := []verify.Header{{Name: "x", Value: strings.Repeat("y", size-1)}}
		if err := passOn(http.Header{}, header); (err == nil) != want {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestAFileOfDomainsHasOneMiBAtMost(t *testing.T) {
	for size, want := range map[int]bool{1_048_576: true, 1_048_577: false} {
		path := filepath.Join(t.TempDir(), "domains.txt")
		if err := os.WriteFile(path, []byte(strings.Repeat("#", size)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readDomains(path); (err == nil) != want {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestAGatewayRemembers256RootKeys(t *testing.T) {
	g := New(&fakeNetwork{name: "default"}, Config{})
	key := fakeView{}.RootKey()
	for size, want := range map[int]int{255: 256, 256: 1} {
		clear(g.verifiers)
		for i := range size {
			g.verifiers[strings.Repeat("k", i)] = &verify.Verifier{}
		}
		if _, err := g.verifier(key); err != nil || len(g.verifiers) != want {
			t.Errorf("beside %d root keys it remembers %d, %v", size, len(g.verifiers), err)
		}
	}
}

// crowd is an instance with some canisters.
type crowd struct {
	*fakeNetwork
	canisters int
}

func (c crowd) Network(string) Network { return c }
func (c crowd) Networks() []Network    { return []Network{c} }
func (c crowd) Canisters(_ context.Context, most int) ([]Canister, error) {
	all := make([]Canister, min(most, c.canisters))
	for i := range all {
		all[i] = Canister{ID: principal.Canister(uint64(i)), Status: "running"}
	}
	return all, nil
}

func TestTheDashboardShows500CanistersOfAnInstance(t *testing.T) {
	for canisters, cut := range map[int]bool{500: false, 501: true} {
		page := get(New(crowd{&fakeNetwork{name: "default"}, canisters}, Config{}), http.MethodGet, "http://localhost/_/dashboard").Body.String()
		if shown := strings.Count(page, "running"); shown != 500 || strings.Contains(page, "Only the first 500 canisters") != cut {
			t.Errorf("of %d canisters %d are shown, cut %t", canisters, shown, cut)
		}
	}
}

// patient is a network that says how long an update may take, and answers none.
type patient struct {
	*fakeNetwork
	expiry, waited *time.Duration
}

func (p patient) Network(string) Network { return p }
func (p patient) Networks() []Network    { return []Network{p} }
func (p patient) Backend() api.Backend   { return patientBackend{fakeBackend{p.fakeNetwork}, p} }

type patientBackend struct {
	fakeBackend
	patient patient
}

func (b patientBackend) SubmitAwaited(_ context.Context, in *api.Ingress) (api.Receipt, api.Pending, error) {
	*b.patient.expiry = time.Duration(in.Expiry - b.Clock().Now)
	return api.Receipt{}, b.patient, nil
}

// Answer waits as long as its caller does.
func (p patient) Answer(ctx context.Context) (api.IngressAnswer, error) {
	begun := time.Now()
	<-ctx.Done()
	*p.waited = time.Since(begun) // in a bubble
	return api.IngressAnswer{}, context.Cause(ctx)
}

func TestAnUpdateExpiresIn4MinutesAndIsAwaitedForOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := answering(t, func(queryArgument) canisterAnswer { return canisterAnswer{Status: 200, Upgrade: new(true)} })
		var expiry, waited time.Duration
		w := get(New(patient{n, &expiry, &waited}, Config{}), http.MethodPost, rawShop+"/")
		if w.Code != http.StatusGatewayTimeout || expiry != 4*time.Minute || waited != time.Minute {
			t.Errorf("%d %s after %s, it expires after %s", w.Code, w.Body, waited, expiry)
		}
	})
}

func TestARequestWithoutMemoryIsToBeTriedAgain(t *testing.T) {
	n := answering(t, func(queryArgument) canisterAnswer { return canisterAnswer{Status: 200, Body: make([]byte, 100)} })
	w := get(New(n, Config{Memory: budget.New("requests", 64)}), http.MethodGet, rawShop+"/")
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	r := httptest.NewRequest(http.MethodOptions, rawShop+"/", http.NoBody)
	r.Header.Set("Access-Control-Request-Method", "PUT")
	w = httptest.NewRecorder()
	New(n, Config{}).ServeHTTP(w, r)
	if w.Header().Get("Access-Control-Max-Age") != "600" {
		t.Errorf("a preflight: %v", w.Header())
	}
}

// A request reserves what has arrived of its body, not the largest body.
func TestABodyTakesAsMuchMemoryAsItHasBytes(t *testing.T) {
	n := answering(t, func(queryArgument) canisterAnswer { return canisterAnswer{Status: 200} })
	for size, want := range map[int]int{1 << 10: 200, 300 << 10: 429} {
		for _, chunked := range []bool{false, true} {
			memory := budget.New("requests", 256<<10)
			r := httptest.NewRequest(http.MethodPost, rawShop+"/", bytes.NewReader(make([]byte, size)))
			if chunked {
				r.ContentLength = -1
			}
			w := httptest.NewRecorder()
			New(n, Config{Memory: memory}).ServeHTTP(w, r)
			if w.Code != want || memory.Used() != 0 {
				t.Errorf("a body of %d bytes, chunked: %t: %d %s, want %d; %d bytes are still reserved", size, chunked, w.Code, w.Body, want, memory.Used())
			}
		}
	}
}
