package threshold

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/asn1"
	"fmt"
	"math/big"
)

// Sizes over secp256r1 (NIST P-256), in bytes.
const (
	Secp256r1KeyBytes       = 33 // SEC 1, compressed
	Secp256r1SignatureBytes = 64 // r and s
)

// Secp256r1 is a master key over secp256r1, which signs by ECDSA. The first element of a path is the id of the canister
// that owns the key.
type Secp256r1 struct {
	secret *big.Int // never written; in [1, order-1]
}

func newSecp256r1(wide []byte) *Secp256r1 {
	secret := new(big.Int).SetBytes(wide)
	if secret.Mod(secret, secp256r1Order()).Sign() == 0 {
		panic("threshold: bug: a seed expanded to the zero key")
	}
	return &Secp256r1{secret: secret}
}

func secp256r1Order() *big.Int { return elliptic.P256().Params().N }

// Public returns the public key at a path, SEC 1 compressed, and its chain code.
func (k *Secp256r1) Public(path [][]byte) (key [Secp256r1KeyBytes]byte, chain [ChainCodeBytes]byte) {
	secret, chain := deriveSecp256r1(k.secret, [ChainCodeBytes]byte{}, path)
	return secp256r1Public(secret), chain
}

// SignECDSA returns the ECDSA signature of a SHA-256 hash with the key at a path: r and s, big-endian, s at most half
// the order; the nonce is made by RFC 6979.
func (k *Secp256r1) SignECDSA(path [][]byte, hash [32]byte) (signature [Secp256r1SignatureBytes]byte) {
	secret, _ := deriveSecp256r1(k.secret, [ChainCodeBytes]byte{}, path)
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secp256r1Bytes(secret))
	if err != nil {
		panic(fmt.Sprintf("threshold: bug: a derived key that is not one: %v", err))
	}
	encoded, err := key.Sign(nil, hash[:], crypto.SHA256)
	if err != nil {
		panic(fmt.Sprintf("threshold: bug: sign with a derived key: %v", err))
	}
	var signed struct{ R, S *big.Int }
	if rest, err := asn1.Unmarshal(encoded, &signed); err != nil || len(rest) > 0 {
		panic(fmt.Sprintf("threshold: bug: read a signature of our own: %v, %d bytes left", err, len(rest)))
	}
	order := secp256r1Order()
	if new(big.Int).Lsh(signed.S, 1).Cmp(order) > 0 {
		signed.S.Sub(order, signed.S)
	}
	signed.R.FillBytes(signature[:32])
	signed.S.FillBytes(signature[32:])
	return signature
}

// deriveSecp256r1 moves a secret key along a path as deriveSecp256k1 moves a point. The public key of each step, an
// input of the next, is computed from the secret.
func deriveSecp256r1(secret *big.Int, chain [ChainCodeBytes]byte, path [][]byte) (*big.Int, [ChainCodeBytes]byte) {
	order := secp256r1Order()
	for _, index := range path {
		input := secp256r1Public(secret)
		for {
			digest := childDigest(&chain, &input, index)
			offset := new(big.Int).SetBytes(digest[:32])
			next := new(big.Int).Add(secret, offset)
			if next.Mod(next, order); offset.Cmp(order) < 0 && next.Sign() != 0 {
				secret = next
				copy(chain[:], digest[32:])
				break
			}
			input[0] = 1
			copy(input[1:], digest[32:])
		}
	}
	return secret, chain
}

// secp256r1Public returns the public key of a secret, SEC 1 compressed.
func secp256r1Public(secret *big.Int) (key [Secp256r1KeyBytes]byte) {
	private, err := ecdh.P256().NewPrivateKey(secp256r1Bytes(secret))
	if err != nil {
		panic(fmt.Sprintf("threshold: bug: a derived key that is not one: %v", err))
	}
	point := private.PublicKey().Bytes() // 4, x, y
	key[0] = 2 + point[64]&1
	copy(key[1:], point[1:33])
	return key
}

func secp256r1Bytes(secret *big.Int) []byte { return secret.FillBytes(make([]byte, 32)) }
