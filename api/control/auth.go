package control

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
)

// tokenMissing and tokenWrong are for clients that do not say what they have to.
var (
	tokenMissing = reason("TOKEN_MISSING", codes.Unauthenticated, "this daemon asks for a token: send the metadata authorization: Bearer TOKEN")
	tokenWrong   = reason("TOKEN_WRONG", codes.Unauthenticated, "the token is not this daemon's")
)

// openMethods may be called without the token: whether the daemon serves is no secret.
const openMethods = "/grpc.health.v1.Health/"

// authorize refuses a call without the token. How long it takes says nothing about
// the token: hashes are compared.
func (s *Server) authorize(ctx context.Context, method string) error {
	if s.token == nil || strings.HasPrefix(method, openMethods) {
		return nil
	}
	sent := metadata.ValueFromIncomingContext(ctx, "authorization")
	if len(sent) == 0 {
		return tokenMissing.Refuse()
	}
	kind, token, _ := strings.Cut(sent[0], " ")
	hash := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if subtle.ConstantTimeCompare(hash[:], s.token[:]) != 1 || !strings.EqualFold(kind, "bearer") {
		return tokenWrong.Refuse()
	}
	return nil
}

// tokenHash is what a token is compared by; nil for no token.
func tokenHash(token string) *[sha256.Size]byte {
	if token == "" {
		return nil
	}
	hash := sha256.Sum256([]byte(token))
	return &hash
}
