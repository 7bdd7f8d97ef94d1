package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/threshold"
)

// acceptable reports whether the transport key is valid.
func (a *vetKDDeriveKeyArg) acceptable() bool {
	_, err := threshold.ParseTransportKey(a.Transport)
	return err == nil
}

// vetKDDeriveKey implements vetkd_derive_key.
func vetKDDeriveKey(c *state.ManagementCall, a *vetKDDeriveKeyArg) state.Answer {
	if !a.acceptable() {
		return state.Fail(rejectTransportKey())
	}
	return askToSign(c, a.key())
}

func vetKDDerivedKey(s *state.State, p *state.PendingSignature, a *vetKDDeriveKeyArg) state.Answer {
	transport, err := threshold.ParseTransportKey(a.Transport)
	if err != nil {
		panic("management: a transport key that was accepted: " + err.Error())
	}
	encrypted := s.Signing.Ring.VetKD(p.Key.String()).Encrypted(p.Caller.Bytes(), a.Context, a.Input, transport)
	return reply(vetKDDeriveKeyResult{encrypted[:]})
}
