package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc/credentials"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/internal/knownmodules"
)

// NoControl is the Control.Address of a daemon without the control API.
const NoControl = "off"

// Control says where the control API is served and for whom. Its clients control the daemon's instances, and can make
// the daemon write to folders and listen at addresses. The zero value serves it with the HTTP interface if that has a
// loopback address, and nowhere otherwise.
type Control struct {
	// Address is host:port, unix:///PATH, or NoControl; "" shares the address of the HTTP interface.
	Address string
	// Certificate and Key are files of a TLS certificate in PEM form. A shared address has no TLS.
	Certificate, Key string
	// Token is the token that clients must send: authorization: Bearer TOKEN.
	Token string
	// Insecure serves addresses that other machines reach without TLS and token.
	Insecure bool
	// KnownModules is a file with modules that the user added to those that the program knows; empty for none.
	KnownModules string
	// KeepAlive is how long a connection may be silent before the daemon pings the client, and how long the client may
	// take to respond: 0 for control.KeepAlive.
	KeepAlive time.Duration
}

// unixScheme begins the address of a socket in the file system.
const unixScheme = "unix://"

// serveControl starts to serve the control API.
func (d *Daemon) serveControl(ctx context.Context, config *Control) error {
	options := control.Options{Log: d.log, Token: config.Token, KeepAlive: config.KeepAlive, Version: Version(), Memory: d.memory.control, Observe: d.metrics.ObserveControl, KnownModules: knownmodules.File(config.KnownModules)}
	listener, err := d.controlListener(ctx, config)
	if err == nil && (config.Certificate != "" || config.Key != "") {
		options.Transport, err = transportOf(config)
	}
	if err != nil {
		if listener != nil {
			err = errors.Join(err, listener.Close())
		}
		return err
	}
	d.control = control.New(d.instances, options)
	shared := &d.mux.grpc
	if listener != nil && listener.Addr().Network() == "unix" && options.Transport == nil {
		listener = d.serveProfiles(ctx, listener, config.Token)
		shared = listener.(*protocolListener)
	}
	if listener != net.Listener(&d.mux.grpc) {
		err = d.mux.grpc.Close() // refuses its clients
	}
	if listener == nil || err != nil {
		return err
	}
	d.controlAddress = addressOf(listener.Addr(), options.Transport != nil)
	if listener != net.Listener(shared) {
		listener = &limitedListener{Listener: listener, limit: d.limit, grpc: true}
	}
	d.running.Go(func() {
		if err := d.control.Serve(listener); err != nil && !errors.Is(err, net.ErrClosed) {
			d.stopFor(err)
		}
	})
	d.control.SetServing(true)
	return nil
}

// controlListener returns the configured listener; nil for none.
func (d *Daemon) controlListener(ctx context.Context, config *Control) (net.Listener, error) {
	shared := config.Address == "" || config.Address == d.listener.Addr().String()
	switch path, unix := strings.CutPrefix(config.Address, unixScheme); {
	case config.Address == NoControl:
		return nil, nil
	case shared && (config.Certificate != "" || config.Key != ""):
		return nil, errors.New("the control API can have TLS only at an address of its own: say which (--control)")
	case config.Address == "" && !loopback(d.listener.Addr()):
		d.log.Info("the control API is not served: other machines reach this address (--control says where else)", "address", d.listener.Addr())
		return nil, nil
	case shared:
		if err := d.permit(d.listener.Addr(), config); err != nil {
			return nil, err
		}
		return &d.mux.grpc, nil
	case unix:
		return listenUnix(ctx, path)
	}
	l, err := listen(ctx, "tcp", config.Address)
	if err != nil {
		return nil, listening(config.Address, err)
	}
	if err := d.permit(l.Addr(), config); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// permit refuses an address that other machines reach without protection.
func (d *Daemon) permit(address net.Addr, config *Control) error {
	if loopback(address) || config.Insecure || config.Token != "" && config.Certificate != "" {
		return nil
	}
	return fmt.Errorf("the control API at %s would be open to everyone who reaches that address: use TLS (--control-tls-cert, --control-tls-key) and a token (--control-token-file or CANISTERD_CONTROL_TOKEN), or allow that (--insecure-control)", address)
}

// listenUnix listens at a socket that only this user may open. It removes a socket that a daemon left behind.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	if conn, err := new(net.Dialer).DialContext(ctx, "unix", path); err == nil {
		_ = conn.Close() // nothing was sent
		return nil, fmt.Errorf("listening on %s%s: something listens there already: stop it (canisterd stop) or use another path", unixScheme, path)
	} else if info, failed := os.Lstat(path); failed == nil && info.Mode()&os.ModeSocket != 0 && ctx.Err() == nil {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("removing the socket that a daemon left behind: %w", err)
		}
	}
	l, err := listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listening on %s%s: %w", unixScheme, path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("keeping others from the socket: %w", err), l.Close())
	}
	return l, nil
}

// transportOf reads the certificate.
func transportOf(config *Control) (credentials.TransportCredentials, error) {
	if config.Certificate == "" || config.Key == "" {
		return nil, errors.New("TLS takes a certificate and its key: set both (--control-tls-cert, --control-tls-key)")
	}
	certificate, err := tls.LoadX509KeyPair(config.Certificate, config.Key)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of the control API: %w", err)
	}
	return credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}), nil
}

// addressOf formats an address for clients.
func addressOf(address net.Addr, secure bool) string {
	switch {
	case address.Network() == "unix":
		return unixScheme + address.String()
	case secure:
		return "https://" + address.String()
	}
	return address.String()
}

// loopback reports whether an address is reachable from this machine only.
func loopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// ControlAddress returns the address of the control API for package api/control/remote: host:port, https://host:port
// with TLS, unix:///PATH; "" if it is not served.
func (d *Daemon) ControlAddress() string { return d.controlAddress }
