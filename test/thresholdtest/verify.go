package thresholdtest

import (
	standard "crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"slices"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/secp256k1"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/ecdsa"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fp"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fr"
)

// ECDSA checks r and s, 64 bytes, of a 32-byte hash by a key in compressed SEC 1
// form; s over half the order is refused.
func ECDSA(key, hash, signature []byte) error {
	point, err := decompress(key)
	if err != nil {
		return err
	}
	if len(signature) != 64 {
		return fmt.Errorf("a signature of %d bytes", len(signature))
	}
	half := new(big.Int).Rsh(fr.Modulus(), 1)
	if new(big.Int).SetBytes(signature[32:]).Cmp(half) > 0 {
		return errors.New("s is over half the order")
	}
	public := ecdsa.PublicKey{A: point}
	ok, err := public.Verify(signature, hash, nil)
	if err == nil && !ok {
		err = errors.New("the signature does not verify")
	}
	return err
}

// ECDSAOverSecp256r1 is ECDSA over the curve secp256r1.
func ECDSAOverSecp256r1(key, hash, signature []byte) error {
	x, y := elliptic.UnmarshalCompressed(elliptic.P256(), key)
	if x == nil || len(signature) != 64 {
		return fmt.Errorf("a key of %d bytes, a signature of %d bytes", len(key), len(signature))
	}
	point := append(append([]byte{4}, x.FillBytes(make([]byte, 32))...), y.FillBytes(make([]byte, 32))...)
	public, err := standard.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return err
	}
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	switch {
	case s.Cmp(new(big.Int).Rsh(elliptic.P256().Params().N, 1)) > 0:
		return errors.New("s is over half the order")
	case !standard.Verify(public, hash, r, s):
		return errors.New("the signature does not verify")
	}
	return nil
}

// BIP340 checks a signature of a message by the key with an x coordinate of 32
// bytes.
func BIP340(x, message, signature []byte) error {
	point, err := decompress(append([]byte{2}, x...))
	if err != nil {
		return err
	}
	if len(signature) != 64 {
		return fmt.Errorf("a signature of %d bytes", len(signature))
	}
	s := new(big.Int).SetBytes(signature[32:])
	e := new(big.Int).SetBytes(tagged("BIP0340/challenge", signature[:32], x, message))
	e.Sub(fr.Modulus(), e.Mod(e, fr.Modulus()))
	var left, right, r secp256k1.G1Affine
	left.ScalarMultiplicationBase(s)
	right.ScalarMultiplication(&point, e)
	r.Add(&left, &right)
	got := r.X.Bytes()
	if s.Cmp(fr.Modulus()) >= 0 || r.IsInfinity() || odd(&r.Y) || !slices.Equal(got[:], signature[:32]) {
		return errors.New("the signature does not verify")
	}
	return nil
}

// OutputKey returns the x coordinate of the output key of BIP 341 for an internal key
// and the root of its script tree, which may be empty.
func OutputKey(x, root []byte) ([]byte, error) {
	point, err := decompress(append([]byte{2}, x...))
	if err != nil {
		return nil, err
	}
	var step, output secp256k1.G1Affine
	step.ScalarMultiplicationBase(new(big.Int).SetBytes(tagged("TapTweak", x, root)))
	output.Add(&point, &step)
	out := output.X.Bytes()
	return out[:], nil
}

// Ed25519 checks a signature of a message.
func Ed25519(key, message, signature []byte) error {
	if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, message, signature) {
		return errors.New("the signature does not verify")
	}
	return nil
}

func tagged(tag string, parts ...[]byte) []byte {
	name := sha256.Sum256([]byte(tag))
	digest := sha256.Sum256(slices.Concat(name[:], name[:], slices.Concat(parts...)))
	return digest[:]
}

func decompress(key []byte) (point secp256k1.G1Affine, err error) {
	if len(key) != 33 || key[0] != 2 && key[0] != 3 {
		return point, fmt.Errorf("%x is no compressed key", key)
	}
	var square, seven fp.Element
	point.X.SetBytes(key[1:])
	square.Square(&point.X).Mul(&square, &point.X).Add(&square, seven.SetUint64(7))
	if point.Y.Sqrt(&square) == nil {
		return point, fmt.Errorf("%x is not on the curve", key)
	}
	if odd(&point.Y) != (key[0] == 3) {
		point.Y.Neg(&point.Y)
	}
	return point, nil
}

func odd(y *fp.Element) bool {
	raw := y.Bytes()
	return raw[len(raw)-1]&1 == 1
}

// TransportKey returns the public key of a transport secret, 48 bytes.
func TransportKey(secret *big.Int) []byte {
	var point bls.G1Affine
	point.ScalarMultiplicationBase(secret)
	raw := point.Bytes()
	return raw[:]
}

// VetKey checks an encrypted key, 192 bytes, for an input under a public key with the equations of the specification,
// decrypts it with the transport secret, checks the key and returns it.
func VetKey(public, input, encrypted []byte, secret *big.Int) ([]byte, error) {
	var key, e2 bls.G2Affine
	var e1, e3, transport bls.G1Affine
	if len(encrypted) != 192 {
		return nil, fmt.Errorf("an encrypted key of %d bytes", len(encrypted))
	}
	_, of1 := e1.SetBytes(encrypted[:48])
	_, of2 := e2.SetBytes(encrypted[48:144])
	_, of3 := e3.SetBytes(encrypted[144:])
	_, ofKey := key.SetBytes(public)
	if err := errors.Join(of1, of2, of3, ofKey); err != nil {
		return nil, err
	}
	hash, err := bls.HashToG1(slices.Concat(public, input), []byte("BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_AUG_"))
	if err != nil {
		return nil, err
	}
	transport.ScalarMultiplicationBase(secret)
	_, _, g1, g2 := bls.Generators()
	var mask, vetKey bls.G1Affine
	mask.ScalarMultiplication(&e1, secret)
	vetKey.Sub(&e3, &mask)
	for _, equation := range []struct {
		text        string
		left, right []bls.G1Affine
		by, with    []bls.G2Affine
	}{
		{"e(E1,g2) = e(g1,E2)", []bls.G1Affine{e1}, []bls.G1Affine{g1}, []bls.G2Affine{g2}, []bls.G2Affine{e2}},
		{"e(E3,g2) = e(tpk,E2) e(H,dpk)", []bls.G1Affine{e3}, []bls.G1Affine{transport, hash}, []bls.G2Affine{g2}, []bls.G2Affine{e2, key}},
		{"e(k,g2) = e(H,dpk)", []bls.G1Affine{vetKey}, []bls.G1Affine{hash}, []bls.G2Affine{g2}, []bls.G2Affine{key}},
	} {
		a, err := bls.Pair(equation.left, equation.by)
		if err != nil {
			return nil, err
		}
		b, err := bls.Pair(equation.right, equation.with)
		if err != nil {
			return nil, err
		}
		if !a.Equal(&b) {
			return nil, fmt.Errorf("%s does not hold", equation.text)
		}
	}
	raw := vetKey.Bytes()
	return raw[:], nil
}
