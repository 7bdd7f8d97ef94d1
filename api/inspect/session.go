package inspect

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"

	"github.com/canisterd/canisterd/api/internal/origin"
)

// session recognizes the browsers of a user by a token. A browser has a cookie made from the token and the host, so a
// cookie that leaks opens one daemon only, and does not give the token away.
type session struct{ token string }

// NewToken draws a token.
func NewToken() string {
	token := make([]byte, 32)
	_, _ = rand.Read(token) // it never fails
	return hex.EncodeToString(token)
}

// cookie returns the value of the cookie at a host.
func (s session) cookie(host string) string {
	mac := hmac.New(sha256.New, []byte(s.token))
	mac.Write([]byte(host))
	return hex.EncodeToString(mac.Sum(nil))
}

// begin sets the cookie if the token is right.
func (s session) begin(w http.ResponseWriter, host, token string) {
	if !equal(token, s.token) {
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: origin.SessionCookie(host), Value: s.cookie(host), Path: Path, MaxAge: cookieAge, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// begun reports whether a request carries the cookie of the session.
func (s session) begun(r *http.Request) bool {
	want := s.cookie(r.Host)
	for _, cookie := range r.CookiesNamed(origin.SessionCookie(r.Host)) {
		if equal(cookie.Value, want) {
			return true
		}
	}
	return false
}

// equal compares hashes of two texts, so that its time reveals nothing about them.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
