package wire

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// malformedCertificate is the error for a certificate that cannot be read, or lacks required values; other errors are
// for readable ones that are not trusted.
type malformedCertificate string

// Error returns the text.
func (m malformedCertificate) Error() string { return string(m) }

func unreadable(format string, args ...any) error {
	return malformedCertificate("failed to deserialize certificate: " + fmt.Sprintf(format, args...))
}

func notShown(format string, args ...any) error {
	return malformedCertificate("hash tree in not well-formed: " + fmt.Sprintf(format, args...))
}

// typeCloudEngine is the type of subnets whose canisters cannot sign.
const typeCloudEngine = "cloud_engine"

// checkCertifiedData checks that one of the trusted root keys vouches for the certified data of a canister (interface
// specification, "Canister signatures"). The age of the certificate does not matter.
func (t *Trust) checkCertifiedData(encoded []byte, canister principal.Principal, want [32]byte) error {
	certificate, err := certify.DecodeCertificate(encoded)
	if err != nil {
		return unreadable("failed to decode certificate: %v", err)
	}
	if t == nil || len(t.roots) == 0 {
		return errNoRoot
	}
	var first error
	for i, root := range t.roots {
		err := t.checkUnder(root, certificate, canister, want)
		if err == nil {
			return nil
		}
		if i == 0 {
			first = err
		}
	}
	return first
}

func (t *Trust) checkUnder(root []byte, certificate *certify.Certificate, canister principal.Principal, want [32]byte) error {
	key, kind := root, ""
	if certificate.Delegation != nil {
		var err error
		if key, kind, err = t.delegated(root, certificate.Delegation, canister); err != nil {
			return err
		}
	}
	if err := t.checkSubnet(key, certificate.Tree.Root(), certificate.Signature); err != nil {
		return err
	}
	if _, err := certificate.Time(); err != nil {
		return unreadable("failed to unpack replica state from a labeled tree: %v", err)
	}
	got, status := certificate.Tree.Lookup(certify.CanisterPath(canister, "certified_data")...)
	switch {
	case status != certify.Found:
		return notShown("cannot find certified_data for canister %s in the tree", canister)
	case !bytes.Equal(got, want[:]):
		return fmt.Errorf("certified data values do not match: certificate value is %s, tree hash is %x", hexText(got), want)
	case certificate.Delegation != nil && (kind == "" || kind == typeCloudEngine):
		return fmt.Errorf("canister signatures are not allowed from subnet %s", certificate.Delegation.Subnet)
	}
	return nil
}

// delegated returns the key, in DER form, of the subnet of a delegation, and the type that the root subnet certifies
// for it, empty if there is none.
func (t *Trust) delegated(root []byte, d *certify.Delegation, canister principal.Principal) (key []byte, kind string, err error) {
	inner, err := certify.DecodeCertificate(d.Certificate)
	switch {
	case err != nil:
		return nil, "", unreadable("failed to decode certificate: %v", err)
	case inner.Delegation != nil:
		return nil, "", errors.New("expected certificate with a maximum of one delegations but found nested delegations in the certificate")
	}
	if err := t.checkSubnet(root, inner.Tree.Root(), inner.Signature); err != nil {
		return nil, "", err
	}
	if _, err := inner.Time(); err != nil {
		return nil, "", unreadable("failed to unpack replica state from a labeled tree: %v", err)
	}
	der, status := inner.Tree.Lookup(certify.SubnetPath(d.Subnet, "public_key")...)
	if status != certify.Found {
		return nil, "", notShown("cannot find subnet information for subnet %s in the tree", d.Subnet)
	}
	ranges, err := certify.RangesOf(inner.Tree, d.Subnet)
	switch {
	case err != nil:
		return nil, "", unreadable("failed to unpack canister range: %v", err)
	case !ranges.Contains(canister):
		return nil, "", errors.New("canister id does not match the canister id range specified in the certificate")
	}
	value, _ := inner.Tree.Lookup(certify.SubnetPath(d.Subnet, "type")...)
	return der, string(value), nil
}
