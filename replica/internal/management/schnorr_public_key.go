package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// schnorrPublicKey implements schnorr_public_key. It is free.
func schnorrPublicKey(c *state.ManagementCall, a *schnorrPublicKeyArg) state.Answer {
	id, path, ring := a.key(), keyPath(keyOwner(c, a.Canister), a.Path), c.State.Signing.Ring
	if id.Scheme == canister.SchnorrEd25519 {
		key, chain := ring.Ed25519(id.String()).Public(path)
		return reply(publicKeyResult{key[:], chain[:]})
	}
	key, chain := ring.Secp256k1(id.String()).Public(path)
	return reply(publicKeyResult{key[:], chain[:]})
}
