package wire

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"math/big"
)

// The parameters of COSE keys (RFC 9052, section 7; RFC 9053, section 7; RFC 8230, section 4) and their accepted
// values.
const (
	coseKeyType   = 1
	coseAlgorithm = 3
	coseKeyOps    = 4

	coseTypeOKP = 1
	coseTypeEC2 = 2
	coseTypeRSA = 3

	coseEdDSA = -8
	coseES256 = -7
	coseRS256 = -257

	coseCurve        = -1 // of OKP and EC2
	coseX            = -2
	coseY            = -3
	coseCurveP256    = 1
	coseCurveEd25519 = 6

	coseModulus  = -1 // of RSA
	coseExponent = -2
)

// coseOpVerify is the only use that the replica accepts if a key lists its uses.
const coseOpVerify = "verify"

// coseKey maps the numbers of a COSE key's parameters to values.
type coseKey map[int64]item

// errAlgorithm is the error for a well-formed COSE key of another algorithm.
var errAlgorithm = keyFault("Algorithm Unspecified not supported: Algorithm not supported in COSE parser")

// parseCOSE reads the key of a security device or passkey in COSE form (interface specification, "Web Authentication").
func parseCOSE(raw []byte) (publicKey, error) {
	key, err := readCOSE(raw)
	if err != nil {
		return publicKey{}, malformedCOSE("Unspecified", raw)
	}
	kind, hasKind := key[coseKeyType]
	algorithm, hasAlgorithm := key[coseAlgorithm]
	if !hasKind || !hasAlgorithm {
		return publicKey{}, malformedCOSE("Unspecified", raw)
	}
	switch [2]int64{kind.integer(), algorithm.integer()} {
	case [2]int64{coseTypeEC2, coseES256}:
		return key.p256(raw)
	case [2]int64{coseTypeRSA, coseRS256}:
		return key.rsa(raw)
	case [2]int64{coseTypeOKP, coseEdDSA}:
		return key.ed25519(raw)
	}
	return publicKey{}, errAlgorithm
}

func malformedCOSE(algorithm string, raw []byte) error {
	return malformedKey(algorithm, raw, "Failed to parse COSE public key")
}

// readCOSE reads the map of a COSE key. It skips parameters with text names.
func readCOSE(raw []byte) (coseKey, error) {
	rest, _ := bytes.CutPrefix(raw, selfDescribed)
	major, info, pairs, rest, err := head(rest)
	if err != nil {
		return nil, err
	}
	if major != majorMap || info == indefinite || pairs > maxPairs {
		return nil, errors.New("a COSE key is a map of a few parameters")
	}
	c := checker{budget: maxItems}
	key := make(coseKey, pairs)
	for range pairs {
		var label, value item
		if label, rest, err = c.check(rest, 1); err != nil {
			return nil, err
		}
		if value, rest, err = c.check(rest, 1); err != nil {
			return nil, err
		}
		if label.kind != kindNat && label.kind != kindNegative {
			continue
		}
		if _, twice := key[label.integer()]; twice {
			return nil, errors.New("a parameter is there twice")
		}
		key[label.integer()] = value
	}
	if len(rest) > 0 {
		return nil, errors.New("bytes after the key")
	}
	return key, nil
}

// noInteger is neither the number nor the value of any parameter of a COSE key.
const noInteger = -1 << 62

// integer returns a number of either sign, noInteger for anything else.
func (it item) integer() int64 {
	switch {
	case it.num >= 1<<62:
		return noInteger
	case it.kind == kindNat:
		return int64(it.num)
	case it.kind == kindNegative:
		return -1 - int64(it.num)
	}
	return noInteger
}

// verifies reports whether a key is for verifying: it lists no uses, or this one.
func (key coseKey) verifies() bool {
	uses, ok := key[coseKeyOps]
	return !ok || uses.kind == kindText && string(uses.body) == coseOpVerify
}

// blob returns a parameter that is a blob, nil if it is not.
func (key coseKey) blob(label int64) []byte {
	if it := key[label]; it.kind == kindBlob {
		return it.body
	}
	return nil
}

func (key coseKey) p256(raw []byte) (publicKey, error) {
	curve, ok := key[coseCurve]
	x, y := key.blob(coseX), key.blob(coseY)
	switch {
	case !key.verifies():
		return publicKey{}, errAlgorithm
	case !ok:
		return publicKey{}, malformedCOSE(schemeP256.String(), raw)
	case curve.integer() != coseCurveP256:
		return publicKey{}, errAlgorithm
	case len(x) != 32 || len(y) != 32:
		return publicKey{}, malformedCOSE(schemeP256.String(), raw)
	}
	point := append(append([]byte{4}, x...), y...)
	if _, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point); err != nil {
		return publicKey{}, malformedCOSE(schemeP256.String(), raw)
	}
	return publicKey{scheme: schemeP256, raw: point, webAuthn: true}, nil
}

func (key coseKey) ed25519(raw []byte) (publicKey, error) {
	curve, ok := key[coseCurve]
	x := key.blob(coseX)
	switch {
	case !key.verifies():
		return publicKey{}, errAlgorithm
	case !ok:
		return publicKey{}, malformedCOSE(schemeEd25519.String(), raw)
	case curve.integer() != coseCurveEd25519:
		return publicKey{}, errAlgorithm
	case len(x) != ed25519.PublicKeySize:
		return publicKey{}, malformedCOSE(schemeEd25519.String(), raw)
	}
	return publicKey{scheme: schemeEd25519, raw: x, webAuthn: true}, nil
}

func (key coseKey) rsa(raw []byte) (publicKey, error) {
	if !key.verifies() {
		return publicKey{}, errAlgorithm
	}
	n, e := new(big.Int).SetBytes(key.blob(coseModulus)), new(big.Int).SetBytes(key.blob(coseExponent))
	switch {
	case n.BitLen() < minRSABits || n.BitLen() > maxRSABits || n.Bit(0) == 0,
		e.BitLen() < 2 || e.BitLen() > maxRSAExponentBits || e.Bit(0) == 0:
		return publicKey{}, malformedCOSE(schemeRSA.String(), raw)
	}
	pub := &rsa.PublicKey{N: n, E: int(e.Int64())}
	der, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		return publicKey{}, malformedCOSE(schemeRSA.String(), raw)
	}
	return publicKey{scheme: schemeRSA, raw: der, rsa: pub, webAuthn: true}, nil
}
