package ic

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/internal/wire"
)

// endpoints are the URLs of all twelve.
func endpoints(n *fakeNetwork) map[string]string {
	urls := map[string]string{"/api/v2/status": http.MethodGet}
	for _, e := range []string{"v2/call", "v3/call", "v4/call", "v2/query", "v3/query", "v2/read_state", "v3/read_state"} {
		version, name, _ := strings.Cut(e, "/")
		urls[canisterURL(version, appCanister, name)] = http.MethodPost
	}
	for _, e := range []string{"v4/call", "v3/query", "v2/read_state", "v3/read_state"} {
		version, name, _ := strings.Cut(e, "/")
		urls[subnetURL(version, n.app.id, name)] = http.MethodPost
	}
	return urls
}

func TestThereAreTwelveEndpoints(t *testing.T) {
	n := newFakeNetwork(t)
	urls := endpoints(n)
	if len(urls) != 12 {
		t.Fatalf("%d URLs", len(urls))
	}
	for url, method := range urls {
		w := httptest.NewRecorder()
		New(n, Info{}).ServeHTTP(w, newRequest(method, url, nil))
		if w.Code == http.StatusNotFound || w.Code == http.StatusMethodNotAllowed {
			t.Errorf("%s %s: status %d: %s", method, url, w.Code, w.Body)
		}
	}
}

func TestOtherMethodsAreNotAllowed(t *testing.T) {
	n := newFakeNetwork(t)
	for url, allowed := range endpoints(n) {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
			if method == allowed {
				continue
			}
			w := httptest.NewRecorder()
			New(n, Info{}).ServeHTTP(w, newRequest(method, url, nil))
			wantRefusal(t, w, http.StatusMethodNotAllowed, "use "+allowed)
			if w.Header().Get("Allow") != allowed+", OPTIONS" {
				t.Errorf("%s %s: Allow is %q", method, url, w.Header().Get("Allow"))
			}
		}
	}
}

func TestBrowsersMaySendWhatAgentsSend(t *testing.T) {
	n := newFakeNetwork(t)
	for url, method := range endpoints(n) {
		r := httptest.NewRequest(http.MethodOptions, url, http.NoBody)
		r.Header.Set("Origin", "http://example.com")
		r.Header.Set("Access-Control-Request-Method", method)
		r.Header.Set("Access-Control-Request-Headers", "content-type")
		w := httptest.NewRecorder()
		New(n, Info{}).ServeHTTP(w, r)
		h := w.Header()
		if w.Code != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != "*" ||
			!strings.Contains(h.Get("Access-Control-Allow-Methods"), method) ||
			!strings.Contains(h.Get("Access-Control-Allow-Headers"), "Content-Type") {
			t.Errorf("%s: status %d, headers %v", url, w.Code, h)
		}
	}
}

func TestUnknownPathsAreNotFound(t *testing.T) {
	n := newFakeNetwork(t)
	id := appCanister.String()
	for _, path := range []string{
		"/", "/api", "/api/", "/api/v2", "/api/v2/", "/api/v2/status/", "/api/v3/status", "/api/v2/canister", "/api/v2/canister/",
		"/api/v1/canister/" + id + "/call", "/api/v5/canister/" + id + "/call", "/api/v4/canister/" + id + "/query",
		"/api/v4/canister/" + id + "/read_state", "/api/v2/canister/" + id, "/api/v2/canister/" + id + "/", "/api/v2/canister/" + id + "/call/",
		"/api/v2/canister/" + id + "/call/x", "/api/v2/subnet/" + n.app.id.String() + "/call", "/api/v3/subnet/" + n.app.id.String() + "/call",
		"/api/v2/subnet/" + n.app.id.String() + "/query", "/api/v2/user/" + id + "/call", "/api/v2/canister//call/", "//api/v2/status", "/API/v2/status",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
			r := httptest.NewRequest(method, "/", http.NoBody)
			r.URL.Path = path
			w := httptest.NewRecorder()
			New(n, Info{}).ServeHTTP(w, r)
			wantRefusal(t, w, http.StatusNotFound, "There is nothing at")
		}
	}
}

func TestIdsInURLsArePrincipals(t *testing.T) {
	n := newFakeNetwork(t)
	for _, id := range []string{"", "x", "aaaaa-ab", strings.Repeat("a", 500)} {
		wantRefusal(t, post(t, New(n, Info{}), "/api/v4/canister/"+id+"/call", nil), 400, "Invalid URL: the canister id")
		wantRefusal(t, post(t, New(n, Info{}), "/api/v4/subnet/"+id+"/call", nil), 400, "Invalid URL: the subnet id")
	}
}

func TestABodyMustSayThatItIsCBOR(t *testing.T) {
	n := newFakeNetwork(t)
	signed := sign(t, wire.NewQuery(appCanister, "get", nil), alice(t))
	for kind, ok := range map[string]bool{
		"application/cbor": true, "Application/CBOR": true, "application/cbor; charset=utf-8": true, " application/cbor ": true,
		"": false, "application/json": false, "application/cborx": false, "text/plain": false,
	} {
		r := httptest.NewRequest(http.MethodPost, canisterURL("v3", appCanister, "query"), bytes.NewReader(signed.Body))
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		New(n, Info{}).ServeHTTP(w, r)
		if ok && w.Code != http.StatusOK {
			t.Errorf("%q: status %d: %s", kind, w.Code, w.Body)
		}
		if !ok {
			wantRefusal(t, w, 400, "Unexpected content-type, expected application/cbor.")
		}
	}
}

func TestABodyTooLargeIsRefused(t *testing.T) {
	n := newFakeNetwork(t)
	url := canisterURL("v4", appCanister, "call")
	large := make([]byte, MaxBodyBytes+1)
	wantRefusal(t, post(t, New(n, Info{}), url, large), 413, "length limit exceeded")
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, url, struct{ io.Reader }{bytes.NewReader(large)}) // of unknown length
	r.Header.Set("Content-Type", "application/cbor")
	New(n, Info{}).ServeHTTP(w, r)
	wantRefusal(t, w, 413, "Failed to buffer the request body: length limit exceeded")
	wantRefusal(t, post(t, New(n, Info{}), url, large[:MaxBodyBytes]), 400, "Could not parse body")
	wantRefusal(t, post(t, New(n, Info{MaxBody: 100}), url, large[:101]), 413, "length limit exceeded")
	wantRefusal(t, post(t, New(n, Info{MaxBody: 100}), url, large[:100]), 400, "Could not parse body")
}

func TestABodyThatBreaksOffIsRefused(t *testing.T) {
	n := newFakeNetwork(t)
	broken := io.MultiReader(strings.NewReader("half"), &failing{})
	r := httptest.NewRequest(http.MethodPost, canisterURL("v4", appCanister, "call"), broken)
	r.Header.Set("Content-Type", "application/cbor")
	w := httptest.NewRecorder()
	New(n, Info{}).ServeHTTP(w, r)
	wantRefusal(t, w, 400, "the line went dead")
}

type failing struct{}

func (*failing) Read([]byte) (int, error) { return 0, errors.New("the line went dead") }

func TestAnswersTellTheirLength(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	signed := sign(t, wire.NewCall(appCanister, "f", make([]byte, 1<<20)), alice(t))
	server := httptest.NewServer(New(n, Info{}))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+canisterURL("v4", appCanister, "call"), bytes.NewReader(signed.Body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/cbor")
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if got, err := io.Copy(io.Discard, resp.Body); err != nil || got != resp.ContentLength || got < 1<<20 {
		t.Errorf("announced %d, sent %d (%v)", resp.ContentLength, got, err)
	}
}
