package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// Reject is an answer of a canister or the system other than a reply.
type Reject struct {
	Code      uint64 // 1 to 6 (interface specification, "Reject codes")
	Message   string
	ErrorCode string // such as IC0503; empty if there is none
	// Certified is true if a certificate proves the reject, and false if the request was rejected before it entered the
	// state.
	Certified bool
}

func (r *Reject) Error() string {
	if r.ErrorCode == "" {
		return fmt.Sprintf("rejected with code %d: %s", r.Code, r.Message)
	}
	return fmt.Sprintf("rejected with code %d (%s): %s", r.Code, r.ErrorCode, r.Message)
}

// ErrDone is the error of a call that was answered, and whose answer the replica dropped before this client had it.
var ErrDone = errors.New("the request is done and its answer is no longer kept")

// Call calls an update method and waits for the outcome. effective is the canister that the request concerns: the
// callee itself, or for the management canister the canister in its argument. The reply is proven by a certificate; any
// other answer is a *Reject.
func (c *Client) Call(ctx context.Context, callee, effective principal.Principal, method string, arg []byte) ([]byte, error) {
	return c.call(ctx, site{id: effective}, callee, method, arg)
}

// CallSubnet calls a method of a subnet's management canister that concerns the subnet and no canister, as subnet
// admins do. The answer is as in Call.
func (c *Client) CallSubnet(ctx context.Context, subnet principal.Principal, method string, arg []byte) ([]byte, error) {
	return c.call(ctx, site{id: subnet, subnet: true}, principal.Management, method, arg)
}

func (c *Client) call(ctx context.Context, at site, callee principal.Principal, method string, arg []byte) ([]byte, error) {
	signed, err := c.sign(wire.NewCall(callee, method, arg))
	if err != nil {
		return nil, err
	}
	code, body, err := c.post(ctx, "/api/v4/"+at.path()+"/call", signed)
	if err != nil {
		return nil, fmt.Errorf("calling %s of %s: %w", method, callee, err)
	}
	if code == http.StatusAccepted {
		return c.poll(ctx, at, signed.ID)
	}
	answer, err := wire.DecodeCallResponse(body)
	if err != nil {
		return nil, fmt.Errorf("reading the answer to %s of %s: %w", method, callee, err)
	}
	if r := answer.Rejection; r != nil {
		return nil, &Reject{Code: r.Code, Message: r.Message, ErrorCode: r.ErrorCode}
	}
	tree, err := c.certified(answer.Certificate, at)
	if err != nil {
		return nil, err
	}
	reply, err := outcome(tree, signed.ID)
	if errors.Is(err, errNotDecided) {
		return c.poll(ctx, at, signed.ID)
	}
	return reply, err
}

// poll reads the status of a request until it is decided.
func (c *Client) poll(ctx context.Context, at site, id wire.RequestID) ([]byte, error) {
	pauses := backoff{pause: firstPoll, longest: lastPoll}
	for {
		tree, err := c.readAt(ctx, at, certify.RequestStatusPath(id))
		if err != nil {
			return nil, err
		}
		reply, err := outcome(tree, id)
		if !errors.Is(err, errNotDecided) {
			return reply, err
		}
		if err := pauses.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// outcome returns the outcome of a request from a certified tree.
func outcome(tree *certify.HashTree, id wire.RequestID) ([]byte, error) {
	field := func(name certify.Label) ([]byte, bool) {
		value, status := tree.Lookup(certify.RequestStatusPath(id, name)...)
		return value, status == certify.Found
	}
	status, ok := field("status")
	if !ok {
		return nil, errNotDecided
	}
	switch string(status) {
	case "replied":
		reply, ok := field("reply")
		if !ok {
			return nil, errors.New("the certificate says replied and shows no reply")
		}
		return reply, nil
	case "rejected":
		raw, _ := field("reject_code")
		code, err := certify.DecodeNat(raw)
		if err != nil {
			return nil, fmt.Errorf("reading the certified reject code: %w", err)
		}
		message, _ := field("reject_message")
		errorCode, _ := field("error_code")
		return nil, &Reject{Code: code, Message: string(message), ErrorCode: string(errorCode), Certified: true}
	case "done":
		return nil, ErrDone
	}
	return nil, errNotDecided
}
