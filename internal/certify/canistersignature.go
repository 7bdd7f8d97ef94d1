package certify

import (
	"errors"
	"fmt"
)

// CanisterSignature is a signature by a canister (interface specification,
// "Canister signatures"): a certificate that has the root of the tree as the
// canister's certified data. Its parts alias what it was decoded from.
type CanisterSignature struct {
	Certificate []byte // encoded
	Tree        *HashTree
}

// Append appends the signature's encoding, self-described CBOR.
func (s *CanisterSignature) Append(dst []byte) []byte {
	dst = AppendHead(append(dst, selfDescribed...), majorMap, 2)
	dst = appendBytes(appendText(dst, "certificate"), s.Certificate)
	return s.Tree.Append(appendText(dst, "tree"))
}

// DecodeCanisterSignature reads a signature that is the whole input, with or
// without the self-describing tag. It checks the form, and verifies nothing.
func DecodeCanisterSignature(encoded []byte) (*CanisterSignature, error) {
	r := reader{in: encoded}
	r.selfDescribed()
	s := new(CanisterSignature)
	err := r.fields(func(r *reader, name string) (err error) {
		if name == "certificate" {
			s.Certificate, err = r.bytes()
		} else {
			s.Tree, err = r.hashTree()
		}
		return err
	}, "certificate", "tree")
	if err == nil {
		err = r.end()
	}
	if err == nil && (s.Certificate == nil || s.Tree == nil) {
		err = errors.New("it needs both a certificate and a tree")
	}
	if err != nil {
		return nil, fmt.Errorf("read a canister signature: %w", err)
	}
	return s, nil
}

// MainnetRootKey returns the public key of the Internet Computer's own root subnet,
// in DER form.
func MainnetRootKey() []byte { return []byte(blsDERPrefix + mainnetRoot) }

const mainnetRoot = "" +
	"\x81\x4c\x0e\x6e\xc7\x1f\xab\x58\x3b\x08\xbd\x81\x37\x3c\x25\x5c\x3c\x37\x1b\x2e\x84\x86\x3c\x98" +
	"\xa4\xf1\xe0\x8b\x74\x23\x5d\x14\xfb\x5d\x9c\x0c\xd5\x46\xd9\x68\x5f\x91\x3a\x0c\x0b\x2c\xc5\x34" +
	"\x15\x83\xbf\x4b\x43\x92\xe4\x67\xdb\x96\xd6\x5b\x9b\xb4\xcb\x71\x71\x12\xf8\x47\x2e\x0d\x5a\x4d" +
	"\x14\x50\x5f\xfd\x74\x84\xb0\x12\x91\x09\x1c\x5f\x87\xb9\x88\x83\x46\x3f\x98\x09\x1a\x0b\xaa\xae"
