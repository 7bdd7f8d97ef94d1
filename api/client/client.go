package client

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
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
	retries  int         // of a request whose connection is lost
	lost     func(error) // gets the error of each; nil: nothing

	reached atomic.Bool // a request had a response; never reset

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

// WithSigner uses a key that something else has as the identity: its public part in DER form, and what signs a message
// with it, in the form of its scheme (interface specification, "Signatures").
func WithSigner(public []byte, sign func(message []byte) ([]byte, error)) Option {
	return func(c *Client) error {
		c.identity = wire.NewIdentity(public, sign)
		return nil
	}
}

// WithRootKey trusts this root key, in DER form, and not the one that the replica gives.
func WithRootKey(der []byte) Option {
	return func(c *Client) error {
		root, err := certify.ParseSubnetPublicKey(der)
		if err != nil {
			return fmt.Errorf("reading the root key: %w", err)
		}
		c.root, c.rootKey = root, der
		return nil
	}
}

// WithRetries sends a request again, with growing pauses, if its connection is lost or a gateway cannot reach the replica.
// It is the same request each time, which a replica executes once. An address to which no connection was ever possible is
// an error at once: it is more likely wrong than away for a moment. lost gets the error of each lost connection; nil: it is
// not told.
func WithRetries(lost func(error)) Option {
	return func(c *Client) error {
		c.retries, c.lost, c.http.Timeout = lostRetries, lost, attemptTimeout
		return nil
	}
}

// Dial connects to the replica at the address (http://host:port). Without WithRootKey it gets the root key of the replica
// and trusts it from then on: right for a local network, where the key is new with every instance.
func Dial(ctx context.Context, address string, options ...Option) (*Client, error) {
	c := &Client{
		address: strings.TrimSuffix(address, "/"),
		http:    &http.Client{Transport: transport()},
		nodes:   map[principal.Principal]nodeKeys{},
	}
	for _, option := range options {
		if err := option(c); err != nil {
			return nil, err
		}
	}
	if c.rootKey != nil {
		return c, nil
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

// transport is Go's, with more connections that are kept for the next request.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = idleConnections
	return t
}

// RootKey returns the key that the client trusts, in DER form.
func (c *Client) RootKey() []byte { return c.rootKey }

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
	_, body, err := c.request(ctx, http.MethodGet, "/api/v2/status", nil)
	if err != nil {
		return Status{}, err
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

// Final reports whether the same request would be refused again.
func (e *HTTPError) Final() bool {
	return e.Status >= http.StatusBadRequest && e.Status < http.StatusInternalServerError && e.Status != http.StatusTooManyRequests
}

// post sends a signed request.
func (c *Client) post(ctx context.Context, path string, signed wire.Signed) (int, []byte, error) {
	return c.request(ctx, http.MethodPost, path, signed.Body)
}

// request sends a request, and retries if the replica is overloaded or, with WithRetries, not reached.
func (c *Client) request(ctx context.Context, method, path string, content []byte) (int, []byte, error) {
	overloaded, lost := backoff{firstPoll, lastPoll, overloadRetries}, backoff{firstLost, lastLost, c.retries}
	for {
		req, err := http.NewRequestWithContext(ctx, method, c.address+path, bytes.NewReader(content))
		if err != nil {
			return 0, nil, fmt.Errorf("the address %q: %w", c.address, err)
		}
		if content != nil {
			req.Header.Set("Content-Type", "application/cbor")
		}
		code, body, err := c.do(req)
		again := &overloaded
		switch {
		case err == nil && (code == http.StatusOK || code == http.StatusAccepted):
			return code, body, nil
		case !c.reached.Load() && isUnconnected(err):
			again = &backoff{}
		case err != nil || code == http.StatusBadGateway || code == http.StatusGatewayTimeout:
			again = &lost
		case code != http.StatusTooManyRequests && code != http.StatusServiceUnavailable:
			again = &backoff{}
		}
		if err == nil {
			err = &HTTPError{code, string(body)}
		}
		if again.left == 0 || ctx.Err() != nil {
			return 0, nil, err
		}
		if again == &lost && c.lost != nil {
			c.lost(err)
		}
		if err := again.wait(ctx); err != nil {
			return 0, nil, err
		}
	}
}

// isUnconnected reports whether an error is that of a connection that could not be made.
func isUnconnected(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}

func (c *Client) do(req *http.Request) (int, []byte, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("asking the replica: %w", err)
	}
	c.reached.Store(true)
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

// backoff is a number of pauses, each twice as long as the one before.
type backoff struct {
	pause, longest time.Duration
	left           int
}

func (b *backoff) wait(ctx context.Context) error {
	timer := time.NewTimer(b.pause)
	defer timer.Stop()
	b.pause = min(2*b.pause, b.longest)
	b.left--
	select {
	case <-ctx.Done():
		return fmt.Errorf("waiting for the replica: %w", context.Cause(ctx))
	case <-timer.C:
		return nil
	}
}

var errNotDecided = errors.New("the request is not decided yet")
