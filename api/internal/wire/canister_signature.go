package wire

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// splitCanisterKey splits the key of a canister signature: one byte of length, the signing canister's id, and the
// canister's seed (interface specification, "Canister signatures"). Its errors are the replica's names.
func splitCanisterKey(raw []byte) (canister principal.Principal, seed []byte, err error) {
	if len(raw) == 0 {
		return principal.Principal{}, nil, phrased("MissingCanisterIdLengthByte")
	}
	n := int(raw[0])
	if len(raw) < 1+n {
		return principal.Principal{}, nil, phrased("Malformed")
	}
	if canister, err = principal.FromBytes(raw[1 : 1+n]); err != nil {
		return principal.Principal{}, nil, phrased("InvalidCanisterId")
	}
	return canister, raw[1+n:], nil
}

// verifyCanisterSignature checks that the canister of the key vouches for the message: its certified data is the root
// of a tree with the message under the key's seed (interface specification, "Canister signatures"). The errors are
// those under the first root key.
func (t *Trust) verifyCanisterSignature(key publicKey, message, sig []byte) error {
	canister, seed, err := splitCanisterKey(key.raw)
	if err != nil {
		return malformedKey(schemeCanisterSignature.String(), key.raw, err.Error())
	}
	if !bytes.HasPrefix(sig, selfDescribed) {
		return malformedSignature(schemeCanisterSignature, sig, "signature CBOR doesn't have a self-describing tag")
	}
	if len(sig) > maxCanisterSignature {
		return malformedSignature(schemeCanisterSignature, sig, fmt.Sprintf("it has %d bytes; at most %d are read", len(sig), maxCanisterSignature))
	}
	parsed, err := certify.DecodeCanisterSignature(sig)
	if err != nil {
		return malformedSignature(schemeCanisterSignature, sig, fmt.Sprintf("failed to parse signature CBOR: %v", err))
	}
	if err := t.checkCertifiedData(parsed.Certificate, canister, parsed.Tree.Root()); err != nil {
		var malformed malformedCertificate
		if errors.As(err, &malformed) {
			return malformedSignature(schemeCanisterSignature, sig, fmt.Sprintf("malformed certificate: %v", err))
		}
		return wrongSignature(key, sig, fmt.Sprintf("certificate verification failed: %v", err))
	}
	return lookUpSignature(key, parsed.Tree, seed, message, sig)
}

// lookUpSignature looks for the message under the seed in the canister's tree.
func lookUpSignature(key publicKey, tree *certify.HashTree, seed, message, sig []byte) error {
	seedHash, messageHash := sha256.Sum256(seed), sha256.Sum256(message)
	at, status := tree.LookupSubtree("sig", certify.Label(seedHash[:]), certify.Label(messageHash[:]))
	switch {
	case status != certify.Found:
		return wrongSignature(key, sig, fmt.Sprintf("the signature tree doesn't contain sig/%x/%x path", seedHash, messageHash))
	case at.Kind != certify.LeafTree || len(at.Leaf) > 0:
		return wrongSignature(key, sig, `The result of 'lookup_path' in the signature tree was not a leaf containing ""`)
	}
	return nil
}
