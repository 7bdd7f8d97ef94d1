package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// vetKDPublicKey implements vetkd_public_key. It is free.
func vetKDPublicKey(c *state.ManagementCall, a *vetKDPublicKeyArg) state.Answer {
	key := c.State.Signing.Ring.VetKD(a.key().String()).Public(keyOwner(c, a.Canister), a.Context)
	return reply(vetKDPublicKeyResult{key[:]})
}
