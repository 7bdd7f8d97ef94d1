package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/identity"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// mainnetHosts are the hosts of the Internet Computer's HTTP interface.
var mainnetHosts = []string{"icp-api.io", "icp0.io", "ic0.app"}

// isSnapshotDirectory reports whether a source is a directory with a snapshot.
func isSnapshotDirectory(from string) bool {
	_, err := os.Stat(filepath.Join(from, "metadata.json"))
	return err == nil
}

// cloneSource connects to a source that is a network: ic, a URL, a file, or an instance of the daemon.
func (c *cli) cloneSource(ctx context.Context, d *remote.Daemon, from string) (*clone.Source, func(), error) {
	switch {
	case from == clone.FromMainnet:
		return c.networkSource(ctx, from, networks.MainnetURL)
	case strings.Contains(from, "://"):
		return c.networkSource(ctx, from, from)
	case isExportedFile(from):
		return c.fileSource(ctx, from)
	}
	got, err := d.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: from})
	if remote.Code(err) == codes.NotFound {
		return nil, nil, fmt.Errorf("invalid --from %q: expected ic, a URL, an instance (canisterd instance list), a directory with a snapshot, or a file of canisterd instance export", from)
	}
	if err != nil {
		return nil, nil, err
	}
	caller := &asController{cli: c, daemon: d, instance: from, callers: map[principal.Principal]clone.Caller{}}
	return &clone.Source{Caller: caller, Asker: caller, From: from, Network: got.GetInstance().GetNetworkId()}, func() {}, nil
}

// networkSource connects to a network over its HTTP interface, as the identity that is selected.
func (c *cli) networkSource(ctx context.Context, from, address string) (*clone.Source, func(), error) {
	where, err := url.Parse(address)
	if err != nil || where.Host == "" || where.Scheme != "http" && where.Scheme != "https" {
		return nil, nil, fmt.Errorf("invalid --from %q: expected an address such as %s", from, networks.MainnetURL)
	}
	options := []client.Option{client.WithRetries(func(err error) {
		if terminal(c.err) && !c.json {
			c.erase() // the line of progress, which is drawn again
		}
		c.note("note: the connection was lost, trying again: %v", innermost(err))
	})}
	key, err := c.signingKey()
	if err != nil {
		return nil, nil, err
	}
	if key != nil {
		options = append(options, client.WithSigner(key.Public(), key.Sign))
	}
	switch {
	case slices.Contains(mainnetHosts, where.Hostname()):
		options = append(options, client.WithRootKey(networks.MainnetKey()))
	case !onThisMachine(where.Hostname()):
		c.note("note: the root key that %s gives is trusted", from)
	}
	connection, err := client.Dial(ctx, address, options...)
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to %s: %w", from, err)
	}
	network := sha256.Sum256(connection.RootKey())
	at := networks.Network{Client: connection}
	return &clone.Source{Caller: at, Asker: at, From: from, Network: hex.EncodeToString(network[:])}, connection.Close, nil
}

func onThisMachine(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || address != nil && address.IsLoopback()
}

// signingKey returns the key of the identity that is selected; nil for anonymous.
func (c *cli) signingKey() (*identity.Key, error) {
	if c.as != "" {
		return nil, errors.New("--as has no key to sign requests to another network: use --identity")
	}
	all, err := identity.Read()
	name := c.identity
	if name == "" && err == nil {
		name = all.Current
	}
	switch {
	case name == "" || name == identity.Anonymous:
		return nil, nil
	case err == nil && all.Identities[name] != nil:
		key, err := all.Key(name)
		return &key, err
	}
	if _, err := c.sender(); err != nil { // says why there is none
		return nil, err
	}
	_, key, err := identity.ReadKey(name)
	return &key, err
}

// asController calls methods about a canister of an instance as its first controller.
type asController struct {
	cli      *cli
	daemon   *remote.Daemon
	instance string

	mu      sync.Mutex // guards callers
	callers map[principal.Principal]clone.Caller
}

// Call calls a method.
func (a *asController) Call(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error) {
	caller, err := a.caller(ctx, canister)
	if err != nil {
		return nil, err
	}
	return caller.Call(ctx, canister, method, argument)
}

// of returns the instance with the rights of the sender.
func (a *asController) of() networks.Instance {
	return networks.Instance{Daemon: a.daemon, Name: a.instance}
}

// Query queries a method as the anonymous principal.
func (a *asController) Query(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error) {
	return a.of().Query(ctx, canister, method, argument)
}

// Interface returns the Candid interface of a canister.
func (a *asController) Interface(ctx context.Context, canister principal.Principal) (string, error) {
	return a.of().Interface(ctx, canister)
}

// ModuleHash returns the SHA-256 of the module of a canister.
func (a *asController) ModuleHash(ctx context.Context, canister principal.Principal) ([]byte, error) {
	return a.of().ModuleHash(ctx, canister)
}

func (a *asController) caller(ctx context.Context, canister principal.Principal) (clone.Caller, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.callers[canister]; known != nil {
		return known, nil
	}
	got, err := a.daemon.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: a.instance, CanisterId: canister.String()})
	if remote.Code(err) == codes.NotFound {
		return nil, &clone.MissingError{Canister: canister, From: a.instance}
	}
	if err != nil {
		return nil, err
	}
	controllers := got.GetCanister().GetSettings().GetControllers().GetPrincipals()
	a.callers[canister] = a.cli.caller(a.daemon, a.instance, first(controllers))
	return a.callers[canister], nil
}
