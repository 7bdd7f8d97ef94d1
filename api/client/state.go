package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// site is the canister or subnet in the URL of a request.
type site struct {
	id     principal.Principal
	subnet bool
}

func (s site) path() string {
	if s.subnet {
		return "subnet/" + s.id.String()
	}
	return "canister/" + s.id.String()
}

// ReadState returns the certified state at the paths, verified for the canister.
func (c *Client) ReadState(ctx context.Context, canister principal.Principal, paths ...certify.Path) (*certify.HashTree, error) {
	return c.readAt(ctx, site{id: canister}, paths...)
}

// ReadSubnetState returns the certified state at the paths, verified for the subnet.
func (c *Client) ReadSubnetState(ctx context.Context, subnet principal.Principal, paths ...certify.Path) (*certify.HashTree, error) {
	return c.readAt(ctx, site{id: subnet, subnet: true}, paths...)
}

func (c *Client) readAt(ctx context.Context, at site, paths ...certify.Path) (*certify.HashTree, error) {
	certificate, err := c.readState(ctx, "/api/v3/"+at.path()+"/read_state", paths)
	if err != nil {
		return nil, err
	}
	return c.certified(certificate, at)
}

func (c *Client) readState(ctx context.Context, url string, paths []certify.Path) ([]byte, error) {
	labels := make([]wire.Path, len(paths))
	for i, path := range paths {
		for _, label := range path {
			labels[i] = append(labels[i], []byte(label))
		}
	}
	signed, err := c.sign(wire.NewReadState(labels...))
	if err != nil {
		return nil, err
	}
	_, body, err := c.post(ctx, url, signed)
	if err != nil {
		return nil, fmt.Errorf("reading state: %w", err)
	}
	certificate, err := wire.DecodeReadStateResponse(body)
	if err != nil {
		return nil, fmt.Errorf("reading the answer to read_state: %w", err)
	}
	return certificate, nil
}

// certified returns the tree of a certificate that is valid for the canister or subnet now.
func (c *Client) certified(encoded []byte, at site) (*certify.HashTree, error) {
	certificate, err := certify.DecodeCertificate(encoded)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}
	verify := certificate.VerifyForCanister
	if at.subnet {
		verify = certificate.VerifyForSubnet
	}
	if err := verify(c.root, at.id); err != nil {
		return nil, fmt.Errorf("the certificate does not verify: %w", err)
	}
	return recent(certificate)
}

func recent(certificate *certify.Certificate) (*certify.HashTree, error) {
	at, err := certificate.Time()
	if err != nil {
		return nil, fmt.Errorf("reading the time of the certificate: %w", err)
	}
	if err := checkAge(at); err != nil {
		return nil, err
	}
	return certificate.Tree, nil
}

// Metadata returns a public custom section of a canister's module, and false if the certificate proves its absence.
func (c *Client) Metadata(ctx context.Context, canister principal.Principal, name string) (string, bool, error) {
	path := certify.MetadataPath(canister, name)
	tree, err := c.ReadState(ctx, canister, path)
	if err != nil {
		return "", false, err
	}
	switch value, status := tree.Lookup(path...); status {
	case certify.Found:
		return string(value), true, nil
	case certify.Absent:
		return "", false, nil
	}
	return "", false, fmt.Errorf("the certificate does not tell about the section %s of %s", name, canister)
}

// FirstCanister returns the first canister id a subnet may host: an effective id for requests that create a canister
// there.
func (c *Client) FirstCanister(ctx context.Context, subnet principal.Principal) (principal.Principal, error) {
	tree, err := c.ReadSubnetState(ctx, subnet, certify.RangesPath(subnet))
	if err != nil {
		return principal.Principal{}, err
	}
	ranges, err := certify.RangesOf(tree, subnet)
	if err != nil {
		return principal.Principal{}, fmt.Errorf("reading the canister ranges of %s: %w", subnet, err)
	}
	if len(ranges) == 0 {
		return principal.Principal{}, errors.New("the subnet hosts no canisters")
	}
	return ranges[0].Start, nil
}

// Subnet is a subnet as the root subnet certifies it.
type Subnet struct {
	ID   principal.Principal `json:"id"`
	Kind string              `json:"type"` // application, system, …; empty if the replica does not certify it
}

// Subnets returns all subnets of the network, including the root subnet, ordered by id.
func (c *Client) Subnets(ctx context.Context) ([]Subnet, error) {
	tree, err := c.ReadSubnetState(ctx, c.RootSubnet(), certify.Path{"subnet"})
	if err != nil {
		return nil, err
	}
	var subnets []Subnet
	tree.Walk(func(path certify.Path, value []byte) bool {
		if len(path) != 3 || path[0] != "subnet" {
			return true
		}
		id, parseErr := principal.FromBytes([]byte(path[1]))
		if parseErr != nil {
			return true
		}
		if n := len(subnets); n == 0 || subnets[n-1].ID != id {
			subnets = append(subnets, Subnet{ID: id})
		}
		if path[2] == "type" {
			subnets[len(subnets)-1].Kind = string(value)
		}
		return true
	})
	if len(subnets) == 0 {
		return nil, errors.New("the root subnet certifies no subnet")
	}
	return subnets, nil
}

// Home returns the default subnet of new canisters: the first application subnet, or else the first of all.
func (c *Client) Home(ctx context.Context) (principal.Principal, error) {
	subnets, err := c.Subnets(ctx)
	if err != nil {
		return principal.Principal{}, err
	}
	for _, s := range subnets {
		if s.Kind == "application" {
			return c.FirstCanister(ctx, s.ID)
		}
	}
	return c.FirstCanister(ctx, subnets[0].ID)
}
