package ic

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/canisterd/canisterd/api/internal/wire"
)

func TestTheStatusGivesTheRootKey(t *testing.T) {
	n := newFakeNetwork(t)
	w := httptest.NewRecorder()
	New(n, Info{Version: "1.2.3", Hash: "abc"}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v2/status", http.NoBody))
	got, err := wire.DecodeStatus(body(t, w))
	if err != nil || w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/cbor" {
		t.Fatalf("status %d, %v, %v", w.Code, w.Header(), err)
	}
	if !bytes.Equal(got.RootKey, n.nns.key.Public().DER()) || len(got.RootKey) != 133 {
		t.Errorf("root key %x", got.RootKey)
	}
	if got.ImplVersion != "1.2.3" || got.ImplHash != "abc" || got.Health != "healthy" || got.CertifiedHeight != n.view.height {
		t.Errorf("got %+v", got)
	}
}

func TestTheStatusMayBeAskedForItsHeaders(t *testing.T) {
	n := newFakeNetwork(t)
	w := httptest.NewRecorder()
	New(n, Info{}).ServeHTTP(w, httptest.NewRequest(http.MethodHead, "/api/v2/status", http.NoBody))
	if w.Code != http.StatusOK {
		t.Errorf("status %d", w.Code)
	}
}

func TestWithoutAStateThereIsOnlyAStatus(t *testing.T) {
	n := newFakeNetwork(t)
	n.view = nil
	for url, method := range endpoints(n) {
		w := httptest.NewRecorder()
		New(n, Info{}).ServeHTTP(w, newRequest(method, url, nil))
		if method == http.MethodPost {
			wantRefusal(t, w, http.StatusServiceUnavailable, "Certified state is not available yet")
			continue
		}
		if got, err := wire.DecodeStatus(body(t, w)); err != nil || got.Health != "waiting_for_certified_state" || got.RootKey != nil {
			t.Errorf("got %+v, %v", got, err)
		}
	}
}
