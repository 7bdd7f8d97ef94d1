package wire

import "errors"

// CanisterKey is the key of signatures by a canister.
type CanisterKey struct{ key publicKey }

// errOtherKey is why a key makes no signatures of canisters.
var errOtherKey = errors.New("it is no key of canister signatures")

// ParseCanisterKey reads a key in DER form.
func ParseCanisterKey(der []byte) (CanisterKey, error) {
	key, err := parsePublicKey(der)
	if err == nil && key.scheme != schemeCanisterSignature {
		err = errOtherKey
	}
	return CanisterKey{key}, err
}

// Verify checks that the canister vouches for a message, by the root keys of trust.
func (k CanisterKey) Verify(trust *Trust, message, signature []byte) error {
	return trust.verifyCanisterSignature(k.key, message, signature)
}
