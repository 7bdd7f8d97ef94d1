package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// ecdsaPublicKey is ecdsa_public_key. It is free.
func ecdsaPublicKey(c *state.Command, a *ecdsaPublicKeyArg) state.Answer {
	master := c.State.Signing.Ring.Secp256k1(a.key().String())
	key, chain := master.Public(keyPath(keyOwner(c, a.Canister), a.Path))
	return reply(publicKeyResult{key[:], chain[:]})
}
