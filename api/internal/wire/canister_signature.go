package wire

import (
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
)

// splitCanisterKey takes the key of a canister signature apart: one byte of
// length, the signing canister's id, and the seed the canister chose (interface
// specification, "Canister signatures").
func splitCanisterKey(raw []byte) (canister principal.Principal, seed []byte, err error) {
	if len(raw) == 0 {
		return principal.Principal{}, nil, errors.New("the key is empty")
	}
	n := int(raw[0])
	if len(raw) < 1+n {
		return principal.Principal{}, nil, fmt.Errorf("the key announces a canister id of %d bytes and has %d", n, len(raw)-1)
	}
	if canister, err = principal.FromBytes(raw[1 : 1+n]); err != nil {
		return principal.Principal{}, nil, err
	}
	return canister, raw[1+n:], nil
}

// verifyCanisterSignature refuses signatures made by canisters, such as those of
// Internet Identity.
func verifyCanisterSignature(key publicKey) error {
	canister, _, err := splitCanisterKey(key.raw)
	if err != nil {
		return malformedKey(schemeCanisterSignature.String(), key.raw, err.Error())
	}
	return phrased("Invalid canister signature: signatures of the scheme %s are not supported (signing canister %s); "+
		"sign with Ed25519, ECDSA on P-256 or ECDSA on secp256k1", schemeCanisterSignature, canister)
}
