package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// nodeKeys are the public keys, in DER form, of the nodes that may answer for a canister.
type nodeKeys map[principal.Principal][]byte

// Query calls a query method. The answer must have the signature of a node of the canister's subnet; any other answer
// is a *Reject.
func (c *Client) Query(ctx context.Context, callee, effective principal.Principal, method string, arg []byte) ([]byte, error) {
	return c.query(ctx, site{id: effective}, callee, method, arg)
}

// QuerySubnet calls a query method of a subnet's management canister that concerns the subnet and no canister, as
// subnet admins do. The answer is as in Query.
func (c *Client) QuerySubnet(ctx context.Context, subnet principal.Principal, method string, arg []byte) ([]byte, error) {
	return c.query(ctx, site{id: subnet, subnet: true}, principal.Management, method, arg)
}

func (c *Client) query(ctx context.Context, at site, callee principal.Principal, method string, arg []byte) ([]byte, error) {
	signed, err := c.sign(wire.NewQuery(callee, method, arg))
	if err != nil {
		return nil, err
	}
	_, body, err := c.post(ctx, "/api/v3/"+at.path()+"/query", signed)
	if err != nil {
		return nil, fmt.Errorf("querying %s of %s: %w", method, callee, err)
	}
	answer, signatures, err := wire.DecodeQueryResponse(body)
	if err != nil {
		return nil, fmt.Errorf("reading the answer to %s of %s: %w", method, callee, err)
	}
	if err := c.verifyQuery(ctx, at, answer, signatures, signed.ID); err != nil {
		return nil, fmt.Errorf("the answer to %s of %s: %w", method, callee, err)
	}
	if r := answer.Rejection; r != nil {
		return nil, &Reject{Code: r.Code, Message: r.Message, ErrorCode: r.ErrorCode}
	}
	return answer.Reply, nil
}

func (c *Client) verifyQuery(ctx context.Context, at site, answer wire.QueryResponse, signatures []wire.NodeSignature, id wire.RequestID) error {
	if len(signatures) == 0 {
		return errors.New("it carries no node's signature")
	}
	keys, err := c.keysFor(ctx, at)
	if err != nil {
		return err
	}
	for _, s := range signatures {
		der, ok := keys[s.Identity]
		if !ok {
			return fmt.Errorf("it is signed by %s, which is not a node of the subnet", s.Identity)
		}
		if err := checkAge(s.Timestamp); err != nil {
			return err
		}
		if err := certify.VerifyNodeSignature(der, wire.QueryResponseMessage(answer, id, s.Timestamp), s.Signature); err != nil {
			return fmt.Errorf("the signature of node %s: %w", s.Identity, err)
		}
	}
	return nil
}

// keysFor returns the keys of the nodes of the subnet, which are requested once.
func (c *Client) keysFor(ctx context.Context, at site) (nodeKeys, error) {
	c.mu.Lock()
	keys, ok := c.nodes[at.id]
	c.mu.Unlock()
	if ok {
		return keys, nil
	}
	tree, err := c.readAt(ctx, at, certify.Path{"subnet"})
	if err != nil {
		return nil, fmt.Errorf("asking for the keys of the subnet's nodes: %w", err)
	}
	keys = nodeKeys{}
	tree.Walk(func(path certify.Path, value []byte) bool {
		if len(path) == 5 && path[2] == "node" && path[4] == "public_key" {
			if id, parseErr := principal.FromBytes([]byte(path[3])); parseErr == nil {
				keys[id] = value
			}
		}
		return true
	})
	c.mu.Lock()
	c.nodes[at.id] = keys
	c.mu.Unlock()
	return keys, nil
}
