package wire

import "errors"

// CanisterKey is the public key of signatures by a canister.
type CanisterKey struct{ key publicKey }

// errOtherKey is the error for a key of another scheme.
var errOtherKey = errors.New("it is no key of canister signatures")

// ParseCanisterKey reads a key in DER form.
func ParseCanisterKey(der []byte) (CanisterKey, error) {
	key, err := parsePublicKey(der)
	if err == nil && key.scheme != schemeCanisterSignature {
		err = errOtherKey
	}
	return CanisterKey{key}, err
}

// Verify checks that the canister vouches for a message, with the root keys of trust.
func (k CanisterKey) Verify(trust *Trust, message, signature []byte) error {
	return trust.verifyCanisterSignature(k.key, message, signature)
}
