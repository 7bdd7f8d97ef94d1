package inspect

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/canisterd/canisterd/api/internal/origin"
)

// challenged returns the headers of the answer to a HEAD request at an address with some headers.
func challenged(address string, header http.Header) http.Header {
	r := httptest.NewRequest(http.MethodHead, Path, http.NoBody)
	r.Host, r.Header = address, header
	at, _ := net.ResolveTCPAddr("tcp", address)
	w := httptest.NewRecorder()
	newTestHandler().ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at)))
	return w.Header()
}

func TestADaemonProvesThatItKnowsTheToken(t *testing.T) {
	c := NewChallenge()
	asked := http.Header{}
	c.Ask(asked)
	answer := challenged("127.0.0.1:4943", asked)
	if !c.Met(answer, secret, "127.0.0.1:4943") {
		t.Error("the proof of the daemon is refused")
	}
	for name, met := range map[string]bool{
		"another token":             c.Met(answer, "another", "127.0.0.1:4943"),
		"another address":           c.Met(answer, secret, "127.0.0.1:80"),
		"another challenge":         NewChallenge().Met(answer, secret, "127.0.0.1:4943"),
		"no proof":                  c.Met(http.Header{}, secret, "127.0.0.1:4943"),
		"an answer at another port": c.Met(challenged("127.0.0.1:80", asked), secret, "127.0.0.1:4943"),
	} {
		if met {
			t.Errorf("the proof holds for %s", name)
		}
	}
}

func TestAProofIsNeverASession(t *testing.T) {
	const host = "127.0.0.1:4943"
	for _, nonce := range []string{"", host, "proof", "0123"} {
		if answer := challenged(host, http.Header{nonceHeader: {nonce}}); answer.Get(proofHeader) != "" {
			t.Errorf("the nonce %q gets a proof", nonce)
		}
	}
	c := NewChallenge()
	asked := http.Header{}
	c.Ask(asked)
	r := request(http.MethodPost, getInstance, "{}")
	r.Header.Set("Cookie", origin.SessionCookie(host)+"="+challenged(host, asked).Get(proofHeader))
	if w := answerTo(r); w.Code != 401 {
		t.Errorf("a proof as a cookie: status %d", w.Code)
	}
}
