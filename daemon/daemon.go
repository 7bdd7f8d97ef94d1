package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/api/gateway"
	"github.com/canisterd/canisterd/api/ic"
	"github.com/canisterd/canisterd/api/inspect"
	"github.com/canisterd/canisterd/api/pocketic"
	"github.com/canisterd/canisterd/daemon/internal/metrics"
	"github.com/canisterd/canisterd/daemon/internal/otlp"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/coverage/coverdir"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica/driver"
)

// Daemon runs networks, the first of which it makes at the start, and serves their HTTP interfaces and the control API.
type Daemon struct {
	instances *instance.Registry
	first     *instance.Instance // made at the start; nil with pocket
	gateway   *gateway.Gateway
	pocket    *pocketic.Server // nil unless it serves PocketIC's interface
	memory    memory
	decoders  ic.Decoders
	limit     *connectionLimit
	metrics   *metrics.Metrics
	spans     *otlp.Exporter   // nil: no spans are sent
	coverage  *coverdir.Writer // nil: what runs is not measured
	mux       *protocolMux
	server    *http.Server
	listener  net.Listener
	profiles  *profiles        // nil without a unix socket
	control   *control.Server  // nil before serveControl
	inspector *inspect.Handler // nil if it is not served
	tools     *assistants      // nil if they are not served
	log       *slog.Logger

	controlAddress string

	cancel  context.CancelFunc // ends every request's context
	running sync.WaitGroup
	failed  chan struct{} // closed when the daemon cannot continue
	fail    sync.Once
	err     error // why, once failed is closed

	closing sync.Once
	closed  error
}

// closePatience is how long Close waits for requests in progress, cutPatience how long it then waits until their
// clients were told that there is no answer.
const (
	closePatience = 3 * time.Second
	cutPatience   = time.Second
)

// Timeouts after which a client's connection is closed: to send the head of a request, to send all of it (5 MiB at
// most), to read the response, and between requests. writeTimeout is longer than any answer takes (ic.AnswerTimeout).
const (
	headTimeout  = 10 * time.Second
	readTimeout  = time.Minute
	writeTimeout = 2 * time.Minute
	idleTimeout  = 2 * time.Minute
)

// Start starts a daemon, which serves when Start returns and runs until Close. ctx applies only to the start.
func Start(ctx context.Context, config Config) (*Daemon, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	listener, err := listen(ctx, "tcp", config.Listen)
	if err != nil {
		return nil, listening(config.Listen, err)
	}
	d := &Daemon{
		listener: listener, log: config.Log, failed: make(chan struct{}), limit: newConnectionLimit(connectionsOf(descriptors())),
		memory: newMemory(config.MemoryLimit), decoders: ic.NewDecoders(runtime.NumCPU() / 2),
	}
	if d.spans, err = newSpans(&config); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	if err := d.measure(config.CoverDir); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	d.metrics = d.newMetrics()
	d.gateway = d.newGateway(&config.Gateway)
	made := d.registryConfig(&config)
	if config.PocketIC {
		made.Printed = d.servePocket(&config)
	}
	d.instances = instance.NewRegistry(made)
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d.cancel = cancel
	d.running.Go(func() { d.memory.giveBack(running, d.instances.EvictIdle) })
	if d.coverage != nil {
		d.running.Go(func() { d.writeCoverage(running) })
	}
	d.spread()
	if !config.PocketIC {
		err = d.build(ctx, &config)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := d.serve(running, &config); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.log.Info("serving", "url", d.URL(), "version", Version())
	return d, nil
}

// listening returns an error that says why an address cannot be used, and what to do.
func listening(address string, err error) error {
	if errors.Is(err, addressInUse) {
		return fmt.Errorf("listening on %s: something listens there already: stop it (canisterd stop) or take another port, 0 for any free one: %w", address, err)
	}
	return fmt.Errorf("listening on %q, which must be host:port: %w", address, err)
}

// registryConfig returns the configuration of the daemon's instances.
func (d *Daemon) registryConfig(config *Config) instance.Config {
	made := instance.Config{
		Host: instanceHost{d}, Log: config.Log, Wall: config.wall, Limit: config.Instances, Kept: config.KeptInstances, Seed: config.Seed, Memory: d.memory.instance, EventMemory: d.memory.events(),
		CacheDir: config.CacheDir, Version: Version(), TimedEvents: d.spans != nil, RateLimits: config.RateLimits, Outcalls: config.Outcalls,
		Reach:    instance.OutcallReach{Local: config.OutcallsLocal, Targets: config.OutcallTargets},
		StateDir: config.StateDir, CheckpointBytes: config.CheckpointBytes, Journal: journal.Options{Retention: config.Retention},
		SystemModules: config.SystemModules, Workers: config.workers, Compiled: config.Compiled,
	}
	if d.coverage != nil {
		made.Coverage = d.coverage.Coverage
	}
	if len(config.CompileWorker) > 0 {
		made.Compiler = newCompileWorker(config.CompileWorker).compile
	}
	return made
}

// spread raises GOMAXPROCS, so that requests are served while all processors run Wasm.
func (d *Daemon) spread() {
	// A P that runs compiled Wasm is not preempted until its slice of instructions is over. At
	// most one P per processor runs updates, and one per processor queries: two more serve
	// requests.
	if processors := 2*runtime.NumCPU() + 2; runtime.GOMAXPROCS(0) < processors {
		runtime.GOMAXPROCS(processors)
	}
}

// build makes the first instance, and resumes those that are kept in the state directory.
func (d *Daemon) build(ctx context.Context, config *Config) error {
	stateDir, memories := config.StateDir, ""
	if stateDir != "" {
		memories = filepath.Join(stateDir, "memories")
	}
	made, err := d.instances.Create(ctx, &instance.Spec{
		Placement: instance.Placement{Name: instance.Default},
		Start:     uint64(config.wall().UnixNano()), Subnets: config.Subnets, SystemCanisters: config.SystemCanisters, RateLimits: config.RateLimits,
		Pacing: instance.Pacing{Mode: config.Pacing, Interval: config.Interval}, Outcalls: &config.Outcalls, StateDir: memories, Journal: stateDir,
	})
	if err != nil {
		return fmt.Errorf("starting the network: %w", err)
	}
	d.first = made
	var asked [instance.SeedBytes]byte
	copy(asked[:], config.Seed)
	if kept := made.About().Seed; len(config.Seed) > 0 && kept != asked {
		return fmt.Errorf("starting the network: the network that is kept in state directory %q has another seed, %x: leave the seed out to go on with it, keep the new network elsewhere (--state-dir) or not at all (--ephemeral), or delete the kept one (canisterd state delete)", stateDir, kept)
	}
	if stateDir != "" {
		return d.instances.Resume(ctx)
	}
	return nil
}

// connectionsOf returns the limit of connections for a process with a limit of descriptors.
func connectionsOf(descriptors uint64) int {
	return int(max(min(descriptors/2, maxConnections), minConnections))
}

// newServer returns a server of HTTP interfaces. Requests end with ctx.
func (d *Daemon) newServer(ctx context.Context, handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           occupying(d.observed(handler)),
		ConnContext:       withConnection,
		ConnState:         restIdle,
		ReadHeaderTimeout: headTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(d.log.Handler(), slog.LevelDebug),
	}
}

// serve starts the servers.
func (d *Daemon) serve(running context.Context, config *Config) error {
	d.server = d.newServer(running, http.HandlerFunc(d.answer))
	if d.pocket != nil {
		d.server.ReadTimeout, d.server.WriteTimeout = 0, 0 // operations may take any time
	}
	d.mux = newProtocolMux(d.listener, d.limit)
	// The interface of PocketIC uses the control API, which must be served before the first request.
	if err := d.serveControl(running, &config.Control); err != nil {
		return err
	}
	if d.pocket == nil {
		if err := d.serveInspector(config); err != nil {
			return err
		}
	}
	d.running.Go(func() {
		if err := d.mux.run(); err != nil {
			d.stopFor(fmt.Errorf("serving %s: %w", d.listener.Addr(), err))
		}
	})
	d.running.Go(func() {
		if err := d.server.Serve(&d.mux.http); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			d.stopFor(fmt.Errorf("serving %s: %w", d.listener.Addr(), err))
		}
	})
	return nil
}

// stopFor records the first error for which the daemon stops, and closes failed.
func (d *Daemon) stopFor(err error) {
	d.fail.Do(func() {
		d.err = err
		d.log.Error("the daemon stops", "error", err)
		close(d.failed)
	})
}

// Failed returns a channel that is closed when the daemon cannot continue; Close then returns why.
func (d *Daemon) Failed() <-chan struct{} { return d.failed }

// URL returns the URL of the HTTP interface, without a slash at the end.
func (d *Daemon) URL() string { return "http://" + d.listener.Addr().String() }

// Driver returns the first network, for programs that embed the daemon.
func (d *Daemon) Driver() *driver.Driver { return d.first.Driver() }

// RootKey returns the root key of the first network in DER form.
func (d *Daemon) RootKey() []byte { return d.Driver().View().RootKey }

// Seed returns the seed of the first network's keys, ids and randomness.
func (d *Daemon) Seed() []byte {
	seed := d.first.About().Seed
	return seed[:]
}

// Instances returns the registry, which makes, finds and deletes instances.
func (d *Daemon) Instances() *instance.Registry { return d.instances }

// Subnets returns the subnets of the first network, the root subnet first.
func (d *Daemon) Subnets() []Subnet {
	var subnets []Subnet
	for _, s := range d.Driver().View().Subnets {
		subnets = append(subnets, Subnet{s.ID, s.Kind.String(), s.Ranges[0].Start})
	}
	return subnets
}

// Close stops the daemon and frees its resources. Requests in progress have closePatience to
// end, then they are cut off.
func (d *Daemon) Close() error {
	d.closing.Do(func() { d.closed = d.close() })
	return d.closed
}

func (d *Daemon) close() error {
	var errs []error
	if d.pocket != nil {
		errs = append(errs, d.pocket.Close())
	}
	if d.server != nil {
		errs = append(errs, d.hangUp())
	} else if d.listener != nil {
		errs = append(errs, d.listener.Close())
	}
	d.cancel()
	d.running.Wait()
	errs = append(errs, d.instances.Close())
	d.closeSpans()
	if d.coverage != nil {
		errs = append(errs, d.coverage.Close())
	}
	select {
	case <-d.failed:
		errs = append(errs, d.err)
	default:
	}
	return errors.Join(errs...)
}

// hangUp stops the servers. Requests in progress have closePatience to be answered. Their clients are then told to
// retry, and are cut off after cutPatience.
func (d *Daemon) hangUp() (err error) {
	defer d.mux.close()
	defer func() { err = errors.Join(err, d.profiles.close()) }()
	if d.tools != nil {
		d.tools.server.Close() // its lease is a request in progress
	}
	if d.control != nil {
		d.running.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), closePatience)
			defer cancel()
			d.control.Close(ctx)
		})
	}
	err = d.shutdown(closePatience)
	d.cancel()
	if err != nil {
		err = d.shutdown(cutPatience)
	}
	if err != nil {
		return d.server.Close()
	}
	return nil
}

// shutdown waits a limited time for the requests of the HTTP server to end.
func (d *Daemon) shutdown(patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return d.server.Shutdown(ctx)
}
