package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/api/pocketic"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/regular"
	"github.com/canisterd/canisterd/replica"
)

// Rounds of PocketIC's instances, in instructions, as in the replica.
const (
	pocketSlice = 2_000_000_000
	pocketRound = 4_000_000_000
)

// servePocket makes the daemon serve PocketIC's interface, and returns the sink for canisters' prints.
func (d *Daemon) servePocket(config *Config) (printed replica.PrintSink) {
	options := pocketic.Options{Log: d.log, Memory: d.memory.pocketClients(), Pages: d.memory.requests, Major: config.PocketICMajor, Origins: config.PocketICOrigins}
	if config.Diagnostics != nil {
		lines := &lockedWriter{to: config.Diagnostics}
		options.Diagnostics = lines
		printed = func(canister principal.Principal, text []byte) {
			_, _ = fmt.Fprintf(lines, "[Canister %s] %s\n", canister, text) // without a reader the line is lost
		}
	}
	d.pocket = pocketic.New(pocketHost{d}, options)
	return printed
}

// lockedWriter is a writer for concurrent goroutines.
type lockedWriter struct {
	mu sync.Mutex // guards to
	to io.Writer
}

// Write writes all bytes at once.
func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// pocketHost makes the instances of PocketIC's interface.
type pocketHost struct{ *Daemon }

// Create makes an instance whose rounds and time its client moves. All start with the same seed, as in PocketIC:
// instances of the same subnets have the same keys and ids.
func (d pocketHost) Create(ctx context.Context, spec *pocketic.Spec) (pocketic.Instance, error) {
	hold := HoldOutcalls
	made, err := d.instances.Create(ctx, &instance.Spec{
		Subnets: spec.Subnets, Seed: new([32]byte), Start: spec.Start, Pacing: instance.Pacing{Mode: Manual}, RateLimits: spec.RateLimits,
		SystemCanisters:   spec.SystemCanisters,
		SliceInstructions: pocketSlice, RoundInstructions: pocketRound, Outcalls: &hold, Reach: instance.OutcallReach{Local: true},
	})
	if err != nil {
		return nil, err
	}
	return &pocketInstance{Instance: made, daemon: d.Daemon}, nil
}

// Fork makes an instance that continues another one, and stands still until its client moves it.
func (d pocketHost) Fork(ctx context.Context, of *pocketic.Fork) (pocketic.Instance, error) {
	made, err := d.instances.Fork(ctx, &instance.ForkSpec{Source: of.Source, Snapshot: of.Snapshot, Pacing: &instance.Pacing{Mode: Manual}})
	if err != nil {
		return nil, err
	}
	return &pocketInstance{Instance: made, daemon: d.Daemon}, nil
}

// Import makes an instance from a file, which stands still until its client moves it.
func (d pocketHost) Import(ctx context.Context, file io.Reader) (pocketic.Instance, error) {
	hold := HoldOutcalls
	made, err := d.instances.Import(ctx, &instance.ImportSpec{
		Pacing: instance.Pacing{Mode: Manual}, Outcalls: &hold, Reach: instance.OutcallReach{Local: true},
	}, file)
	if err != nil {
		return nil, err
	}
	return &pocketInstance{Instance: made, daemon: d.Daemon}, nil
}

// Ask answers an RPC of the control API.
func (d pocketHost) Ask(ctx context.Context, rpc, name string, request []byte) (answer []byte, known bool, err error) {
	answer, known, err = d.control.Ask(ctx, rpc, name, request)
	if refused, ok := errors.AsType[*control.Error](err); ok {
		err = &pocketic.Refused{Reason: refused.Reason.Name, Text: refused.Text}
	}
	return answer, known, err
}

// Listen serves a handler at an address until stop is called.
func (d pocketHost) Listen(at *pocketic.Listener, handler http.Handler) (port int, stop func(), err error) {
	server := d.newServer(context.Background(), handler)
	if at.TLS != nil {
		certificate, err := readKeyPair(at.TLS.Certificate, at.TLS.Key)
		if err != nil {
			return 0, nil, &pocketic.KeyPairError{Err: err}
		}
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}}
	}
	listener, err := listen(context.Background(), "tcp", at.Address)
	if err != nil {
		return 0, nil, err
	}
	limited := &limitedListener{Listener: listener, limit: d.limit}
	serve := func() error { return server.Serve(limited) }
	if at.TLS != nil {
		serve = func() error { return server.ServeTLS(limited, "", "") }
	}
	d.running.Go(func() {
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			d.log.Error("an HTTP gateway is served no longer", "address", at.Address, "error", err)
		}
	})
	return listener.Addr().(*net.TCPAddr).Port, func() { _ = server.Close() }, nil
}

// readKeyPair reads a certificate and its key, which a client names: a named pipe or a device would never end.
func readKeyPair(certificate, key string) (pair tls.Certificate, err error) {
	chain, err := regular.Read(certificate, maxCertificateFile)
	if err != nil {
		return pair, err
	}
	private, err := regular.Read(key, maxCertificateFile)
	if err != nil {
		return pair, err
	}
	return tls.X509KeyPair(chain, private)
}

// pocketInstance is an instance for PocketIC's interface.
type pocketInstance struct {
	*instance.Instance
	daemon *Daemon

	mu   sync.Mutex // guards halt
	halt func()     // stops making outcalls; nil while they wait for mocks
}

// Backend applies the wall clock.
func (i *pocketInstance) Backend() api.Backend { return asyncBackend{i.Instance.Backend()} }

// API returns the HTTP interface of the Internet Computer.
func (i *pocketInstance) API() http.Handler { return frontendOf(i.Instance).handler }

// pacingModes maps the pacings of PocketIC's interface to pacing modes.
var pacingModes = map[pocketic.Pacing]Pacing{pocketic.ByClient: Manual, pocketic.ByWallClock: Auto, pocketic.ByMessages: Still}

// SetPacing sets what moves the instance.
func (i *pocketInstance) SetPacing(ctx context.Context, by pocketic.Pacing) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	mode, live := pacingModes[by], by == pocketic.ByWallClock
	if err := i.Instance.SetPacing(ctx, instance.Pacing{Mode: mode}); err != nil {
		return err
	}
	switch {
	case live && i.halt == nil:
		i.halt = i.makeOutcalls()
	case !live && i.halt != nil:
		i.halt()
		i.halt = nil
	}
	return nil
}

// makeOutcalls makes the outcalls of the instance until it ends, or halt is called.
func (i *pocketInstance) makeOutcalls() (halt func()) {
	making, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	i.Go(func(ctx context.Context) {
		defer close(done)
		defer context.AfterFunc(ctx, cancel)()
		frontendOf(i.Instance).MakeOutcalls(making, i.Instance)
	})
	return func() {
		cancel()
		<-done
	}
}

// Close deletes the instance; another interface may have done so.
func (i *pocketInstance) Close() error {
	i.mu.Lock()
	halt := i.halt
	i.halt = nil
	i.mu.Unlock()
	if halt != nil {
		halt()
	}
	if found, err := i.daemon.instances.Instance(i.Name()); err == nil && found == i.Instance {
		return i.daemon.instances.Delete(i.Name())
	}
	return nil
}

// Activity returns the number of current and finished requests of PocketIC's interface.
func (d *Daemon) Activity() (pending int64, served uint64) { return d.pocket.Activity() }

// Port returns the port the daemon listens on.
func (d *Daemon) Port() int {
	return d.listener.Addr().(*net.TCPAddr).Port
}
