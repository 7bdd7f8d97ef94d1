package verify

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// Verifier checks answers of the canisters of one network. It is safe for concurrent use.
type Verifier struct {
	root  certify.SubnetPublicKey
	valid *wire.Verified // certificates, each with a canister
}

// New makes a verifier that trusts a root key in DER form.
func New(rootKey []byte) (*Verifier, error) {
	root, err := certify.ParseSubnetPublicKey(rootKey)
	if err != nil {
		return nil, fmt.Errorf("the root key: %w", err)
	}
	return &Verifier{root: root, valid: wire.NewVerified(maxProven)}, nil
}

// checkCertificate checks that the certificate of a proof is current, and that the root key vouches for the tree as the
// canister's certified data (HTTP gateway protocol specification, "Certificate Validation"). now is in nanoseconds.
func (v *Verifier) checkCertificate(p *proof, canister principal.Principal, now uint64) error {
	certificate, err := certify.DecodeCertificate(p.certificate)
	if err != nil {
		return err
	}
	at, err := certificate.Time()
	if err != nil {
		return err
	}
	if age := int64(now - at); age > maxAge || age < -maxAge {
		return fmt.Errorf("the certificate is of another time: it is %s old, at most %s is allowed", time.Duration(age), time.Duration(maxAge))
	}
	data, status := certificate.Tree.Lookup(certify.CanisterPath(canister, "certified_data")...)
	if status != certify.Found {
		return fmt.Errorf("the certificate does not show the certified data of canister %s: %s", canister, status)
	}
	if root := p.tree.Root(); !bytes.Equal(data, root[:]) {
		return fmt.Errorf("the tree of the response is not the one that canister %s has certified", canister)
	}
	return v.checkSignature(certificate, p.certificate, canister)
}

// checkSignature checks the signatures of a certificate, or remembers an earlier check.
func (v *Verifier) checkSignature(certificate *certify.Certificate, encoded []byte, canister principal.Principal) error {
	hash := sha256.New()
	hash.Write([]byte{byte(canister.Len())})
	hash.Write(canister.Bytes())
	hash.Write(encoded)
	name := [sha256.Size]byte(hash.Sum(nil))
	if v.valid.Has(name) {
		return nil
	}
	if err := certificate.VerifyForCanister(v.root, canister); err != nil {
		return err
	}
	v.valid.Add(name)
	return nil
}
