package ic

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// FuzzAnyRequestGetsAStatus sends anything anywhere: never a panic, always a
// status of the interface, and never an internal error.
func FuzzAnyRequestGetsAStatus(f *testing.F) {
	n := newFakeNetwork(f)
	n.answer = echo
	bodies := [][]byte{
		nil,
		{0xa0},
		[]byte("hello"),
		sign(f, wire.NewCall(appCanister, "f", []byte("x")), alice(f)).Body,
		sign(f, wire.NewCall(principal.Management, "create_canister", nil), wire.Identity{}).Body,
		sign(f, wire.NewQuery(appCanister, "f", []byte("x")), alice(f)).Body,
		readState(f, alice(f), certify.Path{"subnet"}, certify.RequestStatusPath([32]byte{1})).Body,
		readState(f, wire.Identity{}, certify.MetadataPath(appCanister, "hidden"), certify.Path{}).Body,
	}
	for path := range endpoints(n) {
		for _, b := range bodies {
			f.Add(http.MethodPost, path, "application/cbor", b)
		}
	}
	f.Add(http.MethodOptions, "/", "", []byte(nil))
	f.Add("", "/api/v2/canister/"+strings.Repeat("/", 50), "x", []byte(nil))
	h := New(n, Info{Version: "fuzz"})
	h.timeout = 1
	f.Fuzz(func(t *testing.T, method, path, kind string, body []byte) {
		r := &http.Request{
			Method: method, URL: &url.URL{Path: path}, Header: http.Header{"Content-Type": {kind}},
			Body: http.NoBody, ContentLength: int64(len(body)),
		}
		if len(body) > 0 {
			r.Body = httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body)).Body
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch w.Code {
		case 200, 202, 204, 400, 403, 404, 405, 413:
		default:
			t.Errorf("%s %q: status %d: %s", method, path, w.Code, w.Body)
		}
		if w.Code == 202 && w.Body.Len() > 0 {
			t.Errorf("a 202 with a body: %q", w.Body)
		}
	})
}
