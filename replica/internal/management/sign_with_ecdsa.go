package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// signWithECDSA implements sign_with_ecdsa.
func signWithECDSA(c *state.ManagementCall, a *signWithECDSAArg) state.Answer {
	return askToSign(c, a.key())
}

func ecdsaSignature(s *state.State, p *state.PendingSignature, a *signWithECDSAArg) state.Answer {
	signature := ecdsaKey(&s.Signing, p.Key).SignECDSA(keyPath(p.Caller.Bytes(), a.Path), [MessageHashBytes]byte(a.Hash))
	return reply(signatureResult{signature[:]})
}
