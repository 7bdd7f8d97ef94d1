package certify

import (
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
)

// VerifyForCanister checks that the certificate is valid for the canister: the signature is by the root key, or by a
// subnet to which the root key delegates and whose canister ranges include the canister (interface specification,
// "Certificate" and "Delegation"). The caller, who has a clock, checks whether it is recent: see Time.
func (c *Certificate) VerifyForCanister(root SubnetPublicKey, canister principal.Principal) error {
	return c.verify(root, func(d *Delegation, tree *HashTree) error {
		ranges, err := RangesOf(tree, d.Subnet)
		if err != nil {
			return err
		}
		if !ranges.Contains(canister) {
			return fmt.Errorf("subnet %s may not certify for canister %s: it is in none of its %d ranges", d.Subnet, canister, len(ranges))
		}
		return nil
	})
}

// VerifyForSubnet checks that the certificate is valid for the subnet: signed by the root key if the subnet is the
// root, or by the subnet's key, to which the root key delegates.
func (c *Certificate) VerifyForSubnet(root SubnetPublicKey, subnet principal.Principal) error {
	if c.Delegation == nil && root.Principal() != subnet {
		return fmt.Errorf("verify a certificate: it has no delegation, but %s is not the root subnet", subnet)
	}
	return c.verify(root, func(d *Delegation, _ *HashTree) error {
		if d.Subnet != subnet {
			return fmt.Errorf("its delegation is to subnet %s, not to %s", d.Subnet, subnet)
		}
		return nil
	})
}

// Time returns the value at /time, in nanoseconds since 1970.
func (c *Certificate) Time() (uint64, error) {
	value, status := c.Tree.Lookup(TimePath()...)
	if status != Found {
		return 0, fmt.Errorf("look up /time in a certificate: %s", status)
	}
	return DecodeNat(value)
}

func (c *Certificate) verify(root SubnetPublicKey, scope func(*Delegation, *HashTree) error) error {
	key := root
	if c.Delegation != nil {
		var err error
		if key, err = c.Delegation.key(root, scope); err != nil {
			return fmt.Errorf("verify a certificate: %w", err)
		}
	}
	if err := c.verifySignature(key); err != nil {
		return fmt.Errorf("verify a certificate: %w", err)
	}
	return nil
}

func (c *Certificate) verifySignature(key SubnetPublicKey) error {
	return key.Verify(rootMessage(c.Tree.Root()), c.Signature)
}

// key returns the subnet's key after it has verified the delegation.
func (d *Delegation) key(root SubnetPublicKey, scope func(*Delegation, *HashTree) error) (SubnetPublicKey, error) {
	inner, err := DecodeCertificate(d.Certificate)
	if err != nil {
		return SubnetPublicKey{}, fmt.Errorf("its delegation: %w", err)
	}
	if inner.Delegation != nil {
		return SubnetPublicKey{}, errors.New("its delegation has a delegation itself; only one is allowed")
	}
	if err := inner.verifySignature(root); err != nil {
		return SubnetPublicKey{}, fmt.Errorf("its delegation: %w", err)
	}
	if err := scope(d, inner.Tree); err != nil {
		return SubnetPublicKey{}, err
	}
	path := SubnetPath(d.Subnet, "public_key")
	der, status := inner.Tree.Lookup(path...)
	if status != Found {
		return SubnetPublicKey{}, fmt.Errorf("its delegation does not show %s: %s", path, status)
	}
	return ParseSubnetPublicKey(der)
}

func rootMessage(root [32]byte) []byte {
	return append([]byte(DomainStateRoot), root[:]...)
}
