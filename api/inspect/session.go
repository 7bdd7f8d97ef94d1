package inspect

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
)

// cookieName is the name of the cookie of a session. Cookies do not depend on the port, so the daemons of a user share
// it.
const cookieName = "canisterd_inspector"

// session checks who has the token.
type session struct{ hash [sha256.Size]byte }

func newSession(token string) session { return session{sha256.Sum256([]byte(token))} }

// NewToken draws a token.
func NewToken() string {
	token := make([]byte, 32)
	_, _ = rand.Read(token) // it never fails
	return hex.EncodeToString(token)
}

// has reports whether a token is that of the session. It compares hashes, so that its time reveals nothing.
func (s session) has(token string) bool {
	hash := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(hash[:], s.hash[:]) == 1
}

// begin sets the cookie if the token is right.
func (s session) begin(w http.ResponseWriter, token string) {
	if s.has(token) {
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: token, Path: Path, MaxAge: cookieAge, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
}

// begun reports whether a request carries the cookie of the session.
func (s session) begun(r *http.Request) bool {
	for _, cookie := range r.CookiesNamed(cookieName) {
		if s.has(cookie.Value) {
			return true
		}
	}
	return false
}
