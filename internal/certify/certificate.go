package certify

import (
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
)

// DomainStateRoot separates signatures on state roots from all others.
const DomainStateRoot = "\x0dic-state-root"

// Certificate is a partial state tree with a signature on its root (interface
// specification, "Certificate"). Its parts alias what it was decoded from.
type Certificate struct {
	Tree       *HashTree
	Signature  []byte
	Delegation *Delegation // nil from the root subnet
}

// Delegation proves a subnet's key by the root key (interface specification, "Delegation").
type Delegation struct {
	Subnet      principal.Principal
	Certificate []byte // encoded; must not have a delegation itself
}

// Append appends the certificate's encoding, self-described CBOR.
func (c *Certificate) Append(dst []byte) []byte {
	dst = appendCertificateHead(dst, c.Delegation)
	return appendCertificateTail(c.Tree.Append(dst), c.Signature, c.Delegation)
}

func appendCertificateHead(dst []byte, d *Delegation) []byte {
	fields := uint64(2)
	if d != nil {
		fields = 3
	}
	dst = AppendHead(append(dst, selfDescribed...), majorMap, fields)
	return appendText(dst, "tree")
}

func appendCertificateTail(dst, signature []byte, d *Delegation) []byte {
	dst = appendBytes(appendText(dst, "signature"), signature)
	if d == nil {
		return dst
	}
	dst = AppendHead(appendText(dst, "delegation"), majorMap, 2)
	dst = AppendHead(appendText(dst, "subnet_id"), majorBytes, uint64(d.Subnet.Len()))
	dst = d.Subnet.Append(dst)
	return appendBytes(appendText(dst, "certificate"), d.Certificate)
}

// DecodeCertificate reads a certificate that is the whole input, at most
// MaxCertificateBytes, with or without the self-describing tag. It checks the
// form, not the signature. The delegation's certificate stays encoded.
func DecodeCertificate(encoded []byte) (*Certificate, error) {
	if len(encoded) > MaxCertificateBytes {
		return nil, fmt.Errorf("read a certificate: it has %d bytes; at most %d are read", len(encoded), MaxCertificateBytes)
	}
	r := reader{in: encoded}
	r.selfDescribed()
	c := new(Certificate)
	err := r.fields(c.decodeField, "tree", "signature", "delegation")
	if err == nil {
		err = r.end()
	}
	if err == nil && (c.Tree == nil || c.Signature == nil) {
		err = errors.New("it needs both a tree and a signature")
	}
	if err != nil {
		return nil, fmt.Errorf("read a certificate: %w", err)
	}
	return c, nil
}

func (c *Certificate) decodeField(r *reader, name string) (err error) {
	switch name {
	case "tree":
		c.Tree, err = r.hashTree()
	case "signature":
		c.Signature, err = r.bytes()
	case "delegation":
		c.Delegation, err = r.delegation()
	}
	return err
}

func (r *reader) delegation() (*Delegation, error) {
	var subnet []byte
	d := new(Delegation)
	err := r.fields(func(r *reader, name string) (err error) {
		if name == "subnet_id" {
			subnet, err = r.bytes()
		} else {
			d.Certificate, err = r.bytes()
		}
		return err
	}, "subnet_id", "certificate")
	if err != nil {
		return nil, err
	}
	if subnet == nil || d.Certificate == nil {
		return nil, errors.New("its delegation needs both a subnet_id and a certificate")
	}
	d.Subnet, err = principal.FromBytes(subnet)
	return d, err
}

// fields reads a map whose keys are among the names, each at most once, and
// calls read for every value.
func (r *reader) fields(read func(r *reader, name string) error, names ...string) error {
	n, err := r.expect(majorMap, "a map")
	if err != nil {
		return err
	}
	if n > uint64(len(names)) {
		return fmt.Errorf("a map of %d fields; there are %d: %v", n, len(names), names)
	}
	var seen [8]bool
	for range n {
		name, err := r.text()
		if err != nil {
			return err
		}
		at := indexOf(names, name)
		if at < 0 {
			return fmt.Errorf("unknown field %q; there are %v", name, names)
		}
		if seen[at] {
			return fmt.Errorf("field %q is there twice", name)
		}
		seen[at] = true
		if err := read(r, name); err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
	}
	return nil
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}
