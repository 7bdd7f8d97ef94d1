package inspect

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"regexp"
)

// Headers of a challenge, and of its answer.
const (
	nonceHeader = "Canisterd-Inspect-Nonce"
	proofHeader = "Canisterd-Inspect-Proof"
)

// nonceForm is the form of a nonce. With other texts, the proof could be something else that is made from the token.
var nonceForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Challenge finds out whether a daemon knows a token, without telling it the token. The answer is for one address: a
// program at another one cannot pass on what the daemon answers.
type Challenge struct{ nonce string }

// NewChallenge draws a challenge.
func NewChallenge() Challenge { return Challenge{NewToken()} }

// Ask adds the challenge to the headers of a request for Path.
func (c Challenge) Ask(header http.Header) { header.Set(nonceHeader, c.nonce) }

// Met reports whether the headers of the answer prove that the daemon at an address, HOST:PORT, knows a token.
func (c Challenge) Met(header http.Header, token, address string) bool {
	return equal(header.Get(proofHeader), session{token}.proof(address, c.nonce))
}

// proof returns the answer to a nonce at the address of a connection.
func (s session) proof(address, nonce string) string {
	mac := hmac.New(sha256.New, []byte(s.token))
	mac.Write([]byte("proof\n" + address + "\n" + nonce)) // no host has a line break: it is never a cookie
	return hex.EncodeToString(mac.Sum(nil))
}

// prove answers the challenge in a request, if it has one.
func (s session) prove(w http.ResponseWriter, r *http.Request) {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if nonce := r.Header.Get(nonceHeader); ok && nonceForm.MatchString(nonce) {
		w.Header().Set(proofHeader, s.proof(at.String(), nonce))
	}
}
