package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/threshold"
)

// ecdsaPublicKey implements ecdsa_public_key. It is free.
func ecdsaPublicKey(c *state.ManagementCall, a *ecdsaPublicKeyArg) state.Answer {
	key, chain := ecdsaKey(&c.State.Signing, a.key()).Public(keyPath(keyOwner(c, a.Canister), a.Path))
	return reply(publicKeyResult{key[:], chain[:]})
}

// ecdsaMaster is a master key that signs by ECDSA, of either curve.
type ecdsaMaster interface {
	Public(path [][]byte) (key [threshold.Secp256k1KeyBytes]byte, chain [threshold.ChainCodeBytes]byte)
	SignECDSA(path [][]byte, hash [MessageHashBytes]byte) (signature [threshold.Secp256k1SignatureBytes]byte)
}

func ecdsaKey(s *state.Signing, id state.KeyID) ecdsaMaster {
	if id.Scheme == canister.ECDSASecp256r1 {
		return s.Ring.Secp256r1(id.String())
	}
	return s.Ring.Secp256k1(id.String())
}
