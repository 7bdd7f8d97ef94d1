package client

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// Client is a connection to one network. It is safe for concurrent use.
type Client struct {
	address  string // without a slash at the end
	http     *http.Client
	identity wire.Identity
	root     certify.SubnetPublicKey
	rootKey  []byte

	mu    sync.Mutex                       // guards nodes
	nodes map[principal.Principal]nodeKeys // by effective canister; grows with the canisters this client queries
}

// Option configures a client.
type Option func(*Client) error

// WithKey uses an Ed25519 key as the identity; without it a client is anonymous.
func WithKey(key ed25519.PrivateKey) Option {
	return func(c *Client) error {
		id, err := wire.NewEd25519Identity(key)
		if err != nil {
			return fmt.Errorf("using the Ed25519 key: %w", err)
		}
		c.identity = id
		return nil
	}
}

// Dial gets the root key of the replica at the address (http://host:port) and trusts it from then on: right for a local
// network, where the key is new with every instance.
func Dial(ctx context.Context, address string, options ...Option) (*Client, error) {
	c := &Client{
		address: strings.TrimSuffix(address, "/"),
		http:    &http.Client{},
		nodes:   map[principal.Principal]nodeKeys{},
	}
	for _, option := range options {
		if err := option(c); err != nil {
			return nil, err
		}
	}
	status, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	if c.root, err = certify.ParseSubnetPublicKey(status.RootKey); err != nil {
		return nil, fmt.Errorf("reading the root key that %s gives: %w", c.address, err)
	}
	c.rootKey = status.RootKey
	return c, nil
}

// Close closes the connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Sender returns the principal of the client.
func (c *Client) Sender() principal.Principal { return c.identity.Sender() }

// RootSubnet returns the id of the subnet that holds the root key.
func (c *Client) RootSubnet() principal.Principal { return c.root.Principal() }

// Status is the answer of the status endpoint.
type Status struct {
	RootKey         []byte
	Version         string
	Health          string
	CertifiedHeight uint64
}

// Status requests the status.
func (c *Client) Status(ctx context.Context) (Status, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address+"/api/v2/status", http.NoBody)
	if err != nil {
		return Status{}, fmt.Errorf("the address %q: %w", c.address, err)
	}
	code, body, err := c.do(req)
	if err != nil {
		return Status{}, err
	}
	if code != http.StatusOK {
		return Status{}, &HTTPError{code, string(body)}
	}
	s, err := wire.DecodeStatus(body)
	if err != nil {
		return Status{}, fmt.Errorf("reading the status of %s: %w", c.address, err)
	}
	return Status{s.RootKey, s.ImplVersion, s.Health, s.CertifiedHeight}, nil
}

// HTTPError is the error of a request that the replica refused: nothing happened.
type HTTPError struct {
	Status int
	Text   string
}

func (e *HTTPError) Error() string {
	return fmt.Sprintf("refused with HTTP status %d: %s", e.Status, strings.TrimSpace(e.Text))
}

// post sends a signed request, and retries if the replica is overloaded.
func (c *Client) post(ctx context.Context, path string, signed wire.Signed) (int, []byte, error) {
	pause := firstPoll
	for attempt := 0; ; attempt++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+path, bytes.NewReader(signed.Body))
		if err != nil {
			return 0, nil, fmt.Errorf("the address %q: %w", c.address, err)
		}
		req.Header.Set("Content-Type", "application/cbor")
		code, body, err := c.do(req)
		if err != nil {
			return 0, nil, err
		}
		switch code {
		case http.StatusOK, http.StatusAccepted:
			return code, body, nil
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			if attempt < overloadRetries {
				if err := wait(ctx, &pause); err != nil {
					return 0, nil, err
				}
				continue
			}
		}
		return 0, nil, &HTTPError{code, string(body)}
	}
}

func (c *Client) do(req *http.Request) (int, []byte, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("asking the replica: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	if err != nil {
		return 0, nil, fmt.Errorf("reading the replica's answer: %w", err)
	}
	if len(body) > maxResponse {
		return 0, nil, fmt.Errorf("the replica's answer has more than %d bytes", maxResponse)
	}
	return resp.StatusCode, body, nil
}

// sign turns a draft into a request of this client, with a unique nonce.
func (c *Client) sign(draft *wire.Draft) (wire.Signed, error) {
	draft.IngressExpiry = uint64(time.Now().Add(requestTTL).UnixNano())
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return wire.Signed{}, fmt.Errorf("drawing a nonce: %w", err)
	}
	draft.Nonce = nonce
	signed, err := draft.Sign(c.identity)
	if err != nil {
		return wire.Signed{}, fmt.Errorf("signing the request: %w", err)
	}
	return signed, nil
}

// checkAge refuses a certificate or signature that is not current.
func checkAge(ns uint64) error {
	age := time.Since(time.Unix(0, int64(ns)))
	if age > certificateAge || age < -certificateAge {
		return fmt.Errorf("the answer is of another time: %s away, at most %s is allowed", age.Round(time.Second), certificateAge)
	}
	return nil
}

// wait pauses and doubles the pause.
func wait(ctx context.Context, pause *time.Duration) error {
	timer := time.NewTimer(*pause)
	defer timer.Stop()
	*pause = min(2**pause, lastPoll)
	select {
	case <-ctx.Done():
		return fmt.Errorf("waiting for the replica: %w", context.Cause(ctx))
	case <-timer.C:
		return nil
	}
}

var errNotDecided = errors.New("the request is not decided yet")
