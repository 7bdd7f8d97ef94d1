package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/canisterd/canisterd/api/control/internal/chunkcodec"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// DefaultAddress is where a daemon serves its control API by default.
const DefaultAddress = "127.0.0.1:4943"

// Daemon is a connection to a daemon with the clients of all services. It is safe for concurrent use.
type Daemon struct {
	Instances controlv1.InstancesClient
	Canisters controlv1.CanistersClient
	Calls     controlv1.CallsClient
	Clock     controlv1.ClockClient
	Messages  controlv1.MessagesClient
	Events    controlv1.EventsClient
	Explorer  controlv1.ExplorerClient
	Profiler  controlv1.ProfilerClient
	Coverage  controlv1.CoverageClient

	address    string
	connection *grpc.ClientConn
}

// Option configures a connection.
type Option func(*options) error

type options struct {
	token string
	roots *x509.CertPool
}

// WithToken sends a bearer token with every request. It is never sent unencrypted to another machine.
func WithToken(token string) Option {
	return func(o *options) error {
		o.token = token
		return nil
	}
}

// WithRoots trusts only the certificates in a PEM file.
func WithRoots(path string) Option {
	return func(o *options) error {
		pem, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading the certificates to trust: %w", err)
		}
		o.roots = x509.NewCertPool()
		if !o.roots.AppendCertsFromPEM(pem) {
			return fmt.Errorf("%s has no certificate in PEM form", path)
		}
		return nil
	}
}

// Dial prepares a connection to an address: host:port or http://host:port unencrypted, https://host:port with TLS,
// unix:///path for a socket. It does not wait for the daemon (Ready does); if it is missing, the first call fails.
func Dial(address string, with ...Option) (*Daemon, error) {
	var o options
	for _, option := range with {
		if err := option(&o); err != nil {
			return nil, err
		}
	}
	target, secure, err := parse(address)
	if err != nil {
		return nil, err
	}
	transport := insecure.NewCredentials()
	if secure {
		transport = credentials.NewTLS(&tls.Config{RootCAs: o.roots, MinVersion: tls.VersionTLS12})
	}
	dial := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MaxResponse), grpc.MaxCallSendMsgSize(MaxRequest), grpc.ForceCodecV2(chunkcodec.New())),
	}
	if o.token != "" {
		if !secure && !isLocal(target) {
			return nil, fmt.Errorf("the token would be sent to %s without TLS: use https://", address)
		}
		dial = append(dial, grpc.WithPerRPCCredentials(bearer(o.token)))
	}
	connection, err := grpc.NewClient(target, dial...)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	d := Over(connection)
	d.address = address
	return d, nil
}

// Over returns the clients of all services over a connection, which Close ends.
func Over(connection *grpc.ClientConn) *Daemon {
	return &Daemon{
		Instances: controlv1.NewInstancesClient(connection), Canisters: controlv1.NewCanistersClient(connection),
		Calls: controlv1.NewCallsClient(connection), Clock: controlv1.NewClockClient(connection),
		Messages: controlv1.NewMessagesClient(connection), Events: controlv1.NewEventsClient(connection), Explorer: controlv1.NewExplorerClient(connection), Profiler: controlv1.NewProfilerClient(connection), Coverage: controlv1.NewCoverageClient(connection),
		address: connection.Target(), connection: connection,
	}
}

// parse splits an address into grpc-go's target and whether to use TLS.
func parse(address string) (target string, secure bool, err error) {
	switch scheme, rest, found := strings.Cut(address, "://"); {
	case !found:
		target = address
	case scheme == "unix":
		return "unix:" + rest, false, nil
	case scheme == "http", scheme == "https":
		u, err := url.Parse(address)
		if err != nil {
			return "", false, fmt.Errorf("invalid address %q: %w", address, err)
		}
		target, secure = u.Host, scheme == "https"
	default:
		return "", false, fmt.Errorf("invalid address %q: expected host:port, http://host:port, https://host:port or unix:///path", address)
	}
	if _, _, err := net.SplitHostPort(target); err != nil {
		return "", false, fmt.Errorf("invalid address %q: expected a host and a port, such as %s: %w", address, DefaultAddress, err)
	}
	return "passthrough:///" + target, secure, nil
}

// isLocal reports whether a target is on this machine.
func isLocal(target string) bool {
	hostport, tcp := strings.CutPrefix(target, "passthrough:///")
	if !tcp {
		return true
	}
	host, _, err := net.SplitHostPort(hostport)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// bearer sends a token with every request.
type bearer string

// GetRequestMetadata returns the header with the token.
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity returns false: Dial ensures that the token stays on this machine or uses TLS.
func (bearer) RequireTransportSecurity() bool { return false }

// Connection returns the gRPC connection, for clients of services that have no field in Daemon.
func (d *Daemon) Connection() *grpc.ClientConn { return d.connection }

// ErrNotReady is for a daemon that answers but does not serve (yet, or any more).
var ErrNotReady = errors.New("the daemon is not serving")

// Ready returns when the daemon serves.
func (d *Daemon) Ready(ctx context.Context) error {
	answer, err := grpc_health_v1.NewHealthClient(d.connection).Check(ctx, &grpc_health_v1.HealthCheckRequest{}, grpc.WaitForReady(true))
	if err != nil {
		return fmt.Errorf("checking whether the daemon at %s is serving: %w", d.address, err)
	}
	if answer.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		return fmt.Errorf("%w: %s says %s", ErrNotReady, d.address, answer.Status)
	}
	return nil
}

// Close ends the connection and every call in progress.
func (d *Daemon) Close() error { return d.connection.Close() }
