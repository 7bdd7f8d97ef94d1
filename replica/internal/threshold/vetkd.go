package threshold

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Sizes of vetKD, in bytes.
const (
	VetKDKeyBytes       = bls.SizeOfG2AffineCompressed
	TransportKeyBytes   = bls.SizeOfG1AffineCompressed
	EncryptedVetKDBytes = 2*bls.SizeOfG1AffineCompressed + bls.SizeOfG2AffineCompressed
)

const (
	// vetKDSuite hashes inputs to G1: the message-augmentation suite of the BLS
	// signatures draft.
	vetKDSuite = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_AUG_"
	// The tags under which the offsets of canisters and contexts are hashed.
	vetKDCanister = "ic-vetkd-bls12-381-g2-canister-id"
	vetKDContext  = "ic-vetkd-bls12-381-g2-context"
)

// VetKD is a master key for verifiably encrypted threshold key derivation over
// BLS12-381 (ia.cr/2023/616), with public keys in G2.
type VetKD struct {
	secret fr.Element
	public bls.G2Affine
}

func newVetKD(wide []byte) *VetKD {
	k := new(VetKD)
	if k.secret.SetBytes(wide); k.secret.IsZero() {
		panic("threshold: bug: a seed expanded to the zero key")
	}
	k.public = g2Times(&k.secret)
	return k
}

// Public returns the public key of a canister for a context: a point of G2, compressed. The empty context gives the
// canister's key itself.
func (k *VetKD) Public(canister, context []byte) [VetKDKeyBytes]byte {
	_, point := deriveVetKD(&k.public, canister, context)
	return point.Bytes()
}

// TransportKey is a transport public key.
type TransportKey struct{ point bls.G1Affine }

// ParseTransportKey reads a transport public key: TransportKeyBytes that are a point of G1, compressed. Any point of
// the group is accepted, as in the replica.
func ParseTransportKey(raw []byte) (*TransportKey, error) {
	t := new(TransportKey)
	if len(raw) != TransportKeyBytes {
		return nil, fmt.Errorf("a transport key has %d bytes, got %d", TransportKeyBytes, len(raw))
	}
	if _, err := t.point.SetBytes(raw); err != nil {
		return nil, fmt.Errorf("read a transport key: %w", err)
	}
	return t, nil
}

// Encrypted returns the key derived for an input, encrypted to a transport key: E1, E2 and E3 concatenated, compressed.
func (k *VetKD) Encrypted(canister, context, input []byte, transport *TransportKey) (encrypted [EncryptedVetKDBytes]byte) {
	offset, public := deriveVetKD(&k.public, canister, context)
	secret := *offset.Add(&offset, &k.secret)
	r := vetKDNonce(&secret, input, transport)

	var e1, e3, masked bls.G1Affine
	e1.ScalarMultiplicationBase(integer(&r))
	e2 := g2Times(&r)
	derived := hashInput(&public, input)
	derived.ScalarMultiplication(&derived, integer(&secret))
	masked.ScalarMultiplication(&transport.point, integer(&r))
	e3.Add(&derived, &masked)

	a, b, c := e1.Bytes(), e2.Bytes(), e3.Bytes()
	copy(encrypted[:], slices.Concat(a[:], b[:], c[:]))
	return encrypted
}

// deriveVetKD returns the key of a canister for a context under a master key, and the offset that is added to the
// master secret for it.
func deriveVetKD(master *bls.G2Affine, canister, context []byte) (offset fr.Element, point bls.G2Affine) {
	offset = hashToScalar(vetKDCanister, master, canister)
	step := g2Times(&offset)
	point.Add(master, &step)
	if len(context) > 0 {
		more := hashToScalar(vetKDContext, &point, context)
		step = g2Times(&more)
		point.Add(&point, &step)
		offset.Add(&offset, &more)
	}
	return offset, point
}

func hashToScalar(tag string, key *bls.G2Affine, data []byte) fr.Element {
	raw := key.Bytes()
	input := binary.BigEndian.AppendUint64(nil, uint64(len(raw)))
	input = append(input, raw[:]...)
	input = binary.BigEndian.AppendUint64(input, uint64(len(data)))
	scalars, err := fr.Hash(append(input, data...), []byte(tag), 1)
	if err != nil {
		panic(fmt.Sprintf("threshold: bug: hash %d bytes to a scalar: %v", len(data), err))
	}
	return scalars[0]
}

// hashInput returns the point of which a derived key is a multiple.
func hashInput(key *bls.G2Affine, input []byte) bls.G1Affine {
	raw := key.Bytes()
	point, err := bls.HashToG1(slices.Concat(raw[:], input), []byte(vetKDSuite))
	if err != nil {
		panic(fmt.Sprintf("threshold: bug: hash %d bytes to the curve: %v", len(input), err))
	}
	return point
}

// vetKDNonce returns the scalar that an encryption uses in place of a random one. Different requests have independent
// nonces.
func vetKDNonce(secret *fr.Element, input []byte, transport *TransportKey) (r fr.Element) {
	key, raw := secret.Bytes(), transport.point.Bytes()
	mac := hmac.New(sha512.New, key[:])
	mac.Write([]byte("canisterd/threshold/v1/vetkd nonce"))
	mac.Write(raw[:])
	mac.Write(input)
	if r.SetBytes(mac.Sum(nil)); r.IsZero() {
		panic("threshold: bug: a hash gave the zero nonce")
	}
	return r
}

func g2Times(scalar *fr.Element) (point bls.G2Affine) {
	point.ScalarMultiplicationBase(integer(scalar))
	return point
}

func integer(scalar *fr.Element) *big.Int { return scalar.BigInt(new(big.Int)) }
