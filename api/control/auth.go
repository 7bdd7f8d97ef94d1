package control

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/tap"
)

// tokenMissing and tokenWrong are for clients without the right token.
var (
	tokenMissing = reason("TOKEN_MISSING", codes.Unauthenticated, "this daemon requires a token").advise("send the metadata authorization: Bearer TOKEN")
	tokenWrong   = reason("TOKEN_WRONG", codes.Unauthenticated, "the token is not this daemon's").advise("send the one that the daemon was started with")
)

// openMethods may be called without the token: whether the daemon serves is public.
const openMethods = "/grpc.health.v1.Health/"

// admit refuses a call without the token, and any call while messages take all of their memory, before anything but its
// head is read.
func (s *Server) admit(ctx context.Context, call *tap.Info) (context.Context, error) {
	err := s.authorize(call.Header, call.FullMethodName)
	if err == nil {
		err = s.open.admit()
	}
	if err != nil {
		return ctx, s.answer(call.FullMethodName, nil, err)
	}
	return watch(ctx), nil
}

// authorize refuses a call without the token. It compares hashes, so that its time reveals nothing about the token.
func (s *Server) authorize(head metadata.MD, method string) error {
	if s.token == nil || strings.HasPrefix(method, openMethods) {
		return nil
	}
	sent := head.Get("authorization")
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

// tokenHash returns the hash with which a token is compared; nil for no token.
func tokenHash(token string) *[sha256.Size]byte {
	if token == "" {
		return nil
	}
	hash := sha256.Sum256([]byte(token))
	return &hash
}
