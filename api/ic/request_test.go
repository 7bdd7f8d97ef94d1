package ic

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

func identity(tb testing.TB, name string) wire.Identity {
	seed := sha256.Sum256([]byte(name))
	id, err := wire.NewEd25519Identity(ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

func alice(tb testing.TB) wire.Identity { return identity(tb, "alice") }
func bob(tb testing.TB) wire.Identity   { return identity(tb, "bob") }

// sign makes the draft a request of an identity that expires in four minutes.
func sign(tb testing.TB, d *wire.Draft, id wire.Identity) wire.Signed {
	tb.Helper()
	if d.IngressExpiry == 0 {
		d.IngressExpiry = instant + 240e9
	}
	signed, err := d.Sign(id)
	if err != nil {
		tb.Fatal(err)
	}
	return signed
}

func newRequest(method, url string, body []byte) *http.Request {
	r := httptest.NewRequest(method, url, bytes.NewReader(body))
	r.Host = "127.0.0.1:4943"
	r.Header.Set("Content-Type", "application/cbor")
	return r
}

// post sends a body to a handler without a network between.
func post(tb testing.TB, h *Handler, url string, body []byte) *httptest.ResponseRecorder {
	tb.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, newRequest(http.MethodPost, url, body))
	return w
}

func canisterURL(version string, id principal.Principal, name string) string {
	return "/api/" + version + "/canister/" + id.String() + "/" + name
}

func subnetURL(version string, id principal.Principal, name string) string {
	return "/api/" + version + "/subnet/" + id.String() + "/" + name
}

// certified is the tree of a certificate, verified as a client does: for a
// canister, or a subnet.
func (n *fakeNetwork) certified(tb testing.TB, certificate []byte, id principal.Principal) *certify.HashTree {
	tb.Helper()
	root, err := certify.ParseSubnetPublicKey(n.view.RootKey())
	if err != nil {
		tb.Fatal(err)
	}
	c, err := certify.DecodeCertificate(certificate)
	if err != nil {
		tb.Fatal(err)
	}
	if id == n.app.id || id == n.nns.id {
		err = c.VerifyForSubnet(root, id)
	} else {
		err = c.VerifyForCanister(root, id)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return c.Tree
}

func body(tb testing.TB, w *httptest.ResponseRecorder) []byte {
	tb.Helper()
	b, err := io.ReadAll(w.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
