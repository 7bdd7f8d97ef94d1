package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/threshold"
)

// signWithSchnorr implements sign_with_schnorr.
func signWithSchnorr(c *state.ManagementCall, a *signWithSchnorrArg) state.Answer {
	id := a.key()
	if a.Aux != nil {
		if id.Scheme == canister.SchnorrEd25519 {
			return state.Fail(rejectNoAux("Ed25519"))
		}
		if n := len(a.Aux.BIP341.Root); n != 0 && n != threshold.TapRootBytes {
			return state.Fail(rejectAux("Bip340Secp256k1"))
		}
	}
	return askToSign(c, id)
}

func schnorrSignature(s *state.State, p *state.PendingSignature, a *signWithSchnorrArg) state.Answer {
	path, ring, name := keyPath(p.Caller.Bytes(), a.Path), s.Signing.Ring, p.Key.String()
	var signature [64]byte
	switch {
	case p.Key.Scheme == canister.SchnorrEd25519:
		signature = ring.Ed25519(name).Sign(path, a.Message)
	case a.Aux != nil:
		signature = ring.Secp256k1(name).SignBIP341(path, a.Message, a.Aux.BIP341.Root)
	default:
		signature = ring.Secp256k1(name).SignBIP340(path, a.Message)
	}
	return reply(signatureResult{signature[:]})
}
