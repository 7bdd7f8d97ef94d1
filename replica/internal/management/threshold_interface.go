package management

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/threshold"
)

// The Candid types of the methods with threshold keys (ic.did).

// keyed is implemented by arguments that name a threshold key. They know the instructions of the requested operation in
// a round.
type keyed interface {
	key() state.KeyID
	instructions() uint64
}

// pathInstructions returns the instructions for a key with a derivation path, to which the canister's id belongs.
func pathInstructions(path [][]byte) uint64 { return PathInstructions * uint64(1+len(path)) }

type ecdsaKeyID struct {
	Curve struct {
		Secp256k1 *candid.Null `ic:"secp256k1,variant"`
		Secp256r1 *candid.Null `ic:"secp256r1,variant"`
	} `ic:"curve"`
	Name string `ic:"name"`
}

func (id *ecdsaKeyID) id() state.KeyID {
	if id.Curve.Secp256r1 != nil {
		return state.KeyID{Scheme: canister.ECDSASecp256r1, Name: id.Name}
	}
	return state.KeyID{Scheme: canister.ECDSASecp256k1, Name: id.Name}
}

type schnorrKeyID struct {
	Algorithm struct {
		BIP340  *candid.Null `ic:"bip340secp256k1,variant"`
		Ed25519 *candid.Null `ic:"ed25519,variant"`
	} `ic:"algorithm"`
	Name string `ic:"name"`
}

func (id *schnorrKeyID) id() state.KeyID {
	if id.Algorithm.BIP340 != nil {
		return state.KeyID{Scheme: canister.SchnorrBIP340, Name: id.Name}
	}
	return state.KeyID{Scheme: canister.SchnorrEd25519, Name: id.Name}
}

type vetKDKeyID struct {
	Curve struct {
		BLS12381G2 *candid.Null `ic:"bls12_381_g2,variant"`
	} `ic:"curve"`
	Name string `ic:"name"`
}

func (id *vetKDKeyID) id() state.KeyID {
	return state.KeyID{Scheme: canister.VetKDBLS12381G2, Name: id.Name}
}

type ecdsaPublicKeyArg struct {
	Canister *principal.Principal `ic:"canister_id"`
	Path     [][]byte             `ic:"derivation_path"`
	Key      ecdsaKeyID           `ic:"key_id"`
}

func (a *ecdsaPublicKeyArg) key() state.KeyID     { return a.Key.id() }
func (a *ecdsaPublicKeyArg) instructions() uint64 { return pathInstructions(a.Path) }
func (a *ecdsaPublicKeyArg) bounds() error        { return boundPath(a.Path) }

type signWithECDSAArg struct {
	Hash []byte     `ic:"message_hash"`
	Path [][]byte   `ic:"derivation_path"`
	Key  ecdsaKeyID `ic:"key_id"`
}

func (a *signWithECDSAArg) key() state.KeyID { return a.Key.id() }
func (a *signWithECDSAArg) instructions() uint64 {
	return SignatureInstructions + pathInstructions(a.Path)
}

func (a *signWithECDSAArg) bounds() error {
	if err := boundBytes(a.Hash, MessageHashBytes); err != nil {
		return err
	}
	return boundPath(a.Path)
}

type schnorrPublicKeyArg struct {
	Canister *principal.Principal `ic:"canister_id"`
	Path     [][]byte             `ic:"derivation_path"`
	Key      schnorrKeyID         `ic:"key_id"`
}

func (a *schnorrPublicKeyArg) key() state.KeyID     { return a.Key.id() }
func (a *schnorrPublicKeyArg) instructions() uint64 { return pathInstructions(a.Path) }
func (a *schnorrPublicKeyArg) bounds() error        { return boundPath(a.Path) }

type signWithSchnorrArg struct {
	Message []byte       `ic:"message"`
	Path    [][]byte     `ic:"derivation_path"`
	Key     schnorrKeyID `ic:"key_id"`
	Aux     *schnorrAux  `ic:"aux"`
}

func (a *signWithSchnorrArg) key() state.KeyID { return a.Key.id() }
func (a *signWithSchnorrArg) instructions() uint64 {
	return SignatureInstructions + pathInstructions(a.Path)
}
func (a *signWithSchnorrArg) bounds() error { return boundPath(a.Path) }

type schnorrAux struct {
	BIP341 *bip341Aux `ic:"bip341,variant"`
}

type bip341Aux struct {
	Root []byte `ic:"merkle_root_hash"`
}

// publicKeyResult is the result of ecdsa_public_key and schnorr_public_key.
type publicKeyResult struct {
	Key   []byte `ic:"public_key"`
	Chain []byte `ic:"chain_code"`
}

type signatureResult struct {
	Signature []byte `ic:"signature"`
}

type vetKDPublicKeyArg struct {
	Canister *principal.Principal `ic:"canister_id"`
	Context  []byte               `ic:"context"`
	Key      vetKDKeyID           `ic:"key_id"`
}

func (a *vetKDPublicKeyArg) key() state.KeyID     { return a.Key.id() }
func (a *vetKDPublicKeyArg) instructions() uint64 { return VetKDInstructions }

type vetKDPublicKeyResult struct {
	Key []byte `ic:"public_key"`
}

type vetKDDeriveKeyArg struct {
	Input     []byte     `ic:"input"`
	Context   []byte     `ic:"context"`
	Transport []byte     `ic:"transport_public_key"`
	Key       vetKDKeyID `ic:"key_id"`
}

func (a *vetKDDeriveKeyArg) key() state.KeyID     { return a.Key.id() }
func (a *vetKDDeriveKeyArg) instructions() uint64 { return VetKDInstructions }
func (a *vetKDDeriveKeyArg) bounds() error {
	return boundBytes(a.Transport, threshold.TransportKeyBytes)
}

type vetKDDeriveKeyResult struct {
	Encrypted []byte `ic:"encrypted_key"`
}

func boundPath(path [][]byte) error {
	if len(path) > MaxDerivationPath {
		return tooManyElements(MaxDerivationPath)
	}
	return nil
}

// boundBytes checks what the replica reads as an array of a fixed length.
func boundBytes(b []byte, length int) error {
	if len(b) != length {
		return fmt.Errorf("Deserialize error: invalid length %d, expected an array of length %d", len(b), length)
	}
	return nil
}
