package certify

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/canisterd/canisterd/candid/principal"
)

const (
	// blsSuite is the ciphersuite of the specification ("Certificate"):
	// signatures in G1, keys in G2.
	blsSuite = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"

	// blsDERPrefix precedes the 96 bytes of a key in DER: algorithm 1.3.6.1.4.1.44668.5.3.1.2.1, curve
	// 1.3.6.1.4.1.44668.5.3.2.1.
	blsDERPrefix = "\x30\x81\x82\x30\x1d\x06\x0d\x2b\x06\x01\x04\x01\x82\xdc\x7c\x05\x03\x01\x02\x01" +
		"\x06\x0c\x2b\x06\x01\x04\x01\x82\xdc\x7c\x05\x03\x02\x01\x03\x61\x00"

	// SubnetKeyDERLen is the length of a subnet's public key in DER form.
	SubnetKeyDERLen = len(blsDERPrefix) + bls.SizeOfG2AffineCompressed

	// SignatureLen is the length of a BLS signature: a point of G1, compressed.
	SignatureLen = bls.SizeOfG1AffineCompressed
)

// SubnetKey signs for a subnet, with BLS12-381. It is immutable and may be used
// by any number of goroutines.
type SubnetKey struct {
	secret fr.Element
	public SubnetPublicKey
}

// SubnetPublicKey verifies a subnet's signatures. It is immutable; its zero value verifies nothing.
type SubnetPublicKey struct {
	point bls.G2Affine
	der   string
}

// NewSubnetKey returns the subnet key of a seed.
func NewSubnetKey(seed Seed) *SubnetKey { return NewSubnetKeys(seed)[0] }

// NewSubnetKeys returns the subnet keys of seeds. Together they take less time than one by one.
func NewSubnetKeys(seeds ...Seed) []*SubnetKey {
	keys, points, scalars := make([]*SubnetKey, len(seeds)), make([]bls.G2Affine, len(seeds)), make([]fr.Element, len(seeds))
	for i := range seeds {
		scalars[i] = secretOf(&seeds[i])
	}
	multiplyGenerator(points, scalars)
	for i := range keys {
		raw := points[i].Bytes()
		keys[i] = &SubnetKey{scalars[i], SubnetPublicKey{points[i], blsDERPrefix + string(raw[:])}}
	}
	return keys
}

func secretOf(seed *Seed) (secret fr.Element) {
	// 48 bytes, so that the bias modulo the 255-bit group order is negligible; zero, which is not a key, does not
	// happen.
	secret.SetBytes(seed.expand("subnet key, BLS12-381", 48))
	if secret.IsZero() {
		panic("certify: bug: a seed expanded to the zero key")
	}
	return secret
}

// Public returns the public half.
func (k *SubnetKey) Public() SubnetPublicKey { return k.public }

// Sign returns the BLS signature of the message, SignatureLen bytes.
func (k *SubnetKey) Sign(message []byte) [SignatureLen]byte {
	point, err := bls.HashToG1(message, []byte(blsSuite))
	if err != nil {
		panic(fmt.Sprintf("certify: bug: hash %d bytes to the curve: %v", len(message), err))
	}
	var signature bls.G1Affine
	var secret big.Int
	signature.ScalarMultiplication(&point, k.secret.BigInt(&secret))
	return signature.Bytes()
}

// DER returns the key in DER form, SubnetKeyDERLen bytes: the value at
// /subnet/{id}/public_key, and the root key of the status endpoint.
func (p SubnetPublicKey) DER() []byte { return []byte(p.der) }

// Principal returns the subnet's id: the self-authenticating principal of its key.
func (p SubnetPublicKey) Principal() principal.Principal {
	return principal.SelfAuthenticating([]byte(p.der))
}

// ParseSubnetPublicKey reads a key in DER form (interface specification,
// "Delegation": extract_der). It refuses points off the curve, outside the
// group, and the point at infinity.
func ParseSubnetPublicKey(der []byte) (SubnetPublicKey, error) {
	if len(der) != SubnetKeyDERLen || !bytes.HasPrefix(der, []byte(blsDERPrefix)) {
		return SubnetPublicKey{}, fmt.Errorf("read a subnet public key: want %d bytes of DER that begin as a BLS12-381 key does, got %d bytes", SubnetKeyDERLen, len(der))
	}
	p := SubnetPublicKey{der: string(der)}
	// SetBytes checks the curve and the subgroup.
	if _, err := p.point.SetBytes(der[len(blsDERPrefix):]); err != nil {
		return SubnetPublicKey{}, fmt.Errorf("read a subnet public key: %w", err)
	}
	if p.point.IsInfinity() {
		return SubnetPublicKey{}, errors.New("read a subnet public key: it is the point at infinity")
	}
	return p, nil
}

var errSignature = errors.New("the signature does not match the key and the message")

// Verify checks a BLS signature of the message.
func (p SubnetPublicKey) Verify(message, signature []byte) error {
	if len(signature) != SignatureLen {
		return fmt.Errorf("a BLS signature has %d bytes, got %d", SignatureLen, len(signature))
	}
	if p.der == "" {
		return errors.New("no public key to verify a BLS signature with")
	}
	var s bls.G1Affine
	if _, err := s.SetBytes(signature); err != nil {
		return fmt.Errorf("read a BLS signature: %w", err)
	}
	point, err := bls.HashToG1(message, []byte(blsSuite))
	if err != nil {
		return fmt.Errorf("hash %d bytes to the curve: %w", len(message), err)
	}
	_, _, _, g2 := bls.Generators()
	g2.Neg(&g2)
	ok, err := bls.PairingCheck([]bls.G1Affine{s, point}, []bls.G2Affine{g2, p.point})
	if err != nil {
		return fmt.Errorf("verify a BLS signature: %w", err)
	}
	if !ok {
		return errSignature
	}
	return nil
}
