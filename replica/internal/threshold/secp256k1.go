package threshold

import (
	"crypto/hmac"
	"crypto/sha512"
	"math/big"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// Sizes over secp256k1, in bytes.
const (
	Secp256k1KeyBytes       = 33 // SEC 1, compressed
	Secp256k1SignatureBytes = 64 // ECDSA: r and s; BIP 340: x of R, and s
)

// ChainCodeBytes is the length of a chain code.
const ChainCodeBytes = 32

// Secp256k1 is a master key over secp256k1, which signs by ECDSA or BIP 340. The first element of a path is the id of
// the canister that owns the key.
type Secp256k1 struct{ secret secp256k1.ModNScalar }

func newSecp256k1(wide []byte) *Secp256k1 {
	k := new(Secp256k1)
	reduced := new(big.Int).Mod(new(big.Int).SetBytes(wide), secp256k1.Params().N)
	if k.secret.SetByteSlice(reduced.FillBytes(make([]byte, 32))); k.secret.IsZero() {
		panic("threshold: bug: a seed expanded to the zero key")
	}
	return k
}

// Public returns the public key at a path, SEC 1 compressed, and its chain code.
func (k *Secp256k1) Public(path [][]byte) (key [Secp256k1KeyBytes]byte, chain [ChainCodeBytes]byte) {
	secret, chain := k.derive(path)
	point := times(&secret)
	return compressed(&point), chain
}

// SignECDSA returns the ECDSA signature of a hash with the key at a path: r and s, big-endian, s at most half the
// order; the nonce is made by RFC 6979.
func (k *Secp256k1) SignECDSA(path [][]byte, hash [32]byte) (signature [Secp256k1SignatureBytes]byte) {
	secret, _ := k.derive(path)
	signed := ecdsa.Sign(secp256k1.NewPrivateKey(&secret), hash[:])
	r, s := signed.R(), signed.S()
	r.PutBytesUnchecked(signature[:32])
	s.PutBytesUnchecked(signature[32:])
	return signature
}

// SignBIP340 returns the BIP 340 signature of a message with the key at a path.
func (k *Secp256k1) SignBIP340(path [][]byte, message []byte) [Secp256k1SignatureBytes]byte {
	secret, _ := k.derive(path)
	return signBIP340(&secret, message, [32]byte{})
}

// SignBIP341 returns the BIP 340 signature of a message with the output key of BIP 341:
// the key at a path, tweaked by the root of a script tree, which is empty or
// has 32 bytes.
func (k *Secp256k1) SignBIP341(path [][]byte, message, root []byte) [Secp256k1SignatureBytes]byte {
	secret, _ := k.derive(path)
	tweaked := tweak(&secret, root)
	return signBIP340(&tweaked, message, [32]byte{})
}

func (k *Secp256k1) derive(path [][]byte) (secp256k1.ModNScalar, [ChainCodeBytes]byte) {
	point := times(&k.secret)
	offset, chain := deriveSecp256k1(&point, [ChainCodeBytes]byte{}, path)
	return *offset.Add(&k.secret), chain
}

// deriveSecp256k1 moves a point along a path: BIP 32 generalized to indices that are byte strings (ia.cr/2021/1330,
// appendix D), with SLIP 10 for rare cases. It returns the sum that was added to the secret key, and the chain code.
func deriveSecp256k1(point *secp256k1.JacobianPoint, chain [ChainCodeBytes]byte, path [][]byte) (sum secp256k1.ModNScalar, last [ChainCodeBytes]byte) {
	for _, index := range path {
		input := compressed(point)
		for {
			digest := childDigest(&chain, &input, index)
			var offset secp256k1.ModNScalar
			overflow := offset.SetByteSlice(digest[:32])
			step := times(&offset)
			var next secp256k1.JacobianPoint
			secp256k1.AddNonConst(point, &step, &next)
			if !overflow && !next.Z.IsZero() {
				next.ToAffine()
				*point = next
				sum.Add(&offset)
				copy(chain[:], digest[32:])
				break
			}
			input[0] = 1
			copy(input[1:], digest[32:])
		}
	}
	return sum, chain
}

func childDigest(chain *[ChainCodeBytes]byte, input *[Secp256k1KeyBytes]byte, index []byte) []byte {
	mac := hmac.New(sha512.New, chain[:])
	mac.Write(input[:])
	mac.Write(index)
	return mac.Sum(nil)
}

// times returns a multiple of the generator, in affine coordinates.
func times(scalar *secp256k1.ModNScalar) (point secp256k1.JacobianPoint) {
	secp256k1.ScalarBaseMultNonConst(scalar, &point)
	point.ToAffine()
	return point
}

// compressed returns a point in affine coordinates in the form of SEC 1.
func compressed(point *secp256k1.JacobianPoint) [Secp256k1KeyBytes]byte {
	return [Secp256k1KeyBytes]byte(secp256k1.NewPublicKey(&point.X, &point.Y).SerializeCompressed())
}
