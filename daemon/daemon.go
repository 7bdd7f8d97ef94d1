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
	"runtime/debug"
	"sync"
	"time"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/api/gateway"
	"github.com/canisterd/canisterd/api/ic"
	"github.com/canisterd/canisterd/api/pocketic"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/daemon/journal"
	"github.com/canisterd/canisterd/daemon/metrics"
	"github.com/canisterd/canisterd/daemon/otlp"
	"github.com/canisterd/canisterd/replica/node"
)

// Daemon is some networks, one of them to begin with, with their HTTP interfaces and
// the control API over them.
type Daemon struct {
	instances *instance.Registry
	first     *instance.Instance // the one it was started with; nil with pocket
	gateway   *gateway.Gateway
	pocket    *pocketic.Server // nil unless it serves PocketIC's interface
	memory    memory
	decoders  ic.Decoders
	limit     *connectionLimit
	metrics   *metrics.Metrics
	spans     *otlp.Exporter // nil: no spans are sent
	mux       *protocolMux
	server    *http.Server
	listener  net.Listener
	profiles  *profiles       // nil without a unix socket
	control   *control.Server // nil until it is served, or might be
	log       *slog.Logger

	controlAddress string

	cancel  context.CancelFunc // ends every request's context
	running sync.WaitGroup
	failed  chan struct{} // closed when the daemon cannot go on
	fail    sync.Once
	err     error // why, once failed is closed

	closing sync.Once
	closed  error
}

// closePatience is how long Close waits for requests under way, cutPatience how
// long for their clients to hear that they get no answer.
const (
	closePatience = 3 * time.Second
	cutPatience   = time.Second
)

// How long a client may take before its connection is given up: to send the head
// of a request, all of it (5 MiB at most), to take the answer in, and to think of
// the next request. Longer than the longest answer takes (ic.AnswerTimeout).
const (
	headTimeout  = 10 * time.Second
	readTimeout  = time.Minute
	writeTimeout = 2 * time.Minute
	idleTimeout  = 2 * time.Minute
)

// Start starts a network and serves it. ctx bounds the start; the daemon runs
// until Close. It serves when Start returns.
func Start(ctx context.Context, config Config) (*Daemon, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", config.Listen)
	if err != nil {
		return nil, listening(config.Listen, err)
	}
	d := &Daemon{
		listener: listener, log: config.Log, failed: make(chan struct{}), limit: newConnectionLimit(connectionsOf(descriptors())),
		memory: newMemory(config.MemoryLimit), decoders: ic.NewDecoders(runtime.GOMAXPROCS(0) / 2),
	}
	if d.spans, err = newSpans(&config); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	d.metrics = d.newMetrics()
	d.gateway = d.newGateway(&config.Gateway)
	made := d.registryConfig(&config)
	if config.PocketIC {
		made.Printed = d.servePocket(config.Diagnostics, config.PocketICMajor)
	}
	d.instances = instance.NewRegistry(made)
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d.cancel = cancel
	d.running.Go(func() { d.memory.giveBack(running) })
	d.spread()
	if !config.PocketIC {
		err = d.build(ctx, &config)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := d.serve(running, &config.Control); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.log.Info("serving", "url", d.URL(), "version", Version())
	return d, nil
}

// listening says why an address cannot be used, and what to do.
func listening(address string, err error) error {
	if errors.Is(err, addressInUse) {
		return fmt.Errorf("listening on %s: something listens there already: stop it (canisterd stop) or take another port, 0 for any free one: %w", address, err)
	}
	return fmt.Errorf("listening on %q, which must be host:port: %w", address, err)
}

// registryConfig is what the daemon's instances are made with.
func (d *Daemon) registryConfig(config *Config) instance.Config {
	made := instance.Config{
		Host: host{d}, Log: config.Log, Wall: config.wall, Limit: config.Instances, Kept: config.KeptInstances, Seed: config.Seed, Memory: d.memory.instance,
		CacheDir: config.CacheDir, Version: Version(), TimedEvents: d.spans != nil, RateLimits: config.RateLimits, Outcalls: config.Outcalls,
		Reach:    instance.OutcallReach{Local: config.OutcallsLocal, Targets: config.OutcallTargets},
		StateDir: config.StateDir, CheckpointBytes: config.CheckpointBytes, Journal: journal.Options{Retention: config.Retention},
		SystemModules: config.SystemModules, Workers: config.workers,
	}
	if len(config.CompileWorker) > 0 {
		made.Compiler = newCompileWorker(config.CompileWorker).compile
	}
	return made
}

// spread gives the process as many processors as it has work for.
func (d *Daemon) spread() {
	// A processor that runs compiled Wasm is not given back before its slice is over. As many
	// as the machine has run updates at a time, and as many queries: two more keep requests
	// served while all of them do.
	if processors := 2*runtime.NumCPU() + 2; runtime.GOMAXPROCS(0) < processors {
		runtime.GOMAXPROCS(processors)
	}
}

// build makes the instance the daemon begins with.
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

// connectionsOf is the number of connections for a process with a number of descriptors.
func connectionsOf(descriptors uint64) int {
	return int(max(min(descriptors/2, maxConnections), minConnections))
}

// newServer is a server of HTTP interfaces; ctx ends what is under way.
func (d *Daemon) newServer(ctx context.Context, handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           occupying(d.observed(handler)),
		ConnContext:       withConnection,
		ConnState:         restIdle,
		ReadHeaderTimeout: headTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(d.log.Handler(), slog.LevelDebug),
	}
}

// serve begins to answer connections.
func (d *Daemon) serve(running context.Context, config *Control) error {
	d.server = d.newServer(running, http.HandlerFunc(d.answer))
	if d.pocket != nil {
		d.server.ReadTimeout, d.server.WriteTimeout = 0, 0 // operations take as long as they take
	}
	d.mux = newProtocolMux(d.listener, d.limit)
	// The interface of PocketIC asks the control API: it is there before the first request.
	if err := d.serveControl(running, config); err != nil {
		return err
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

func (d *Daemon) stopFor(err error) {
	d.fail.Do(func() {
		d.err = err
		d.log.Error("the daemon stops", "error", err)
		close(d.failed)
	})
}

// Failed is closed when the daemon cannot go on; Close then says why.
func (d *Daemon) Failed() <-chan struct{} { return d.failed }

// URL is where the daemon listens, without a slash at the end.
func (d *Daemon) URL() string { return "http://" + d.listener.Addr().String() }

// Node is the network the daemon was started with, for programs that embed it.
func (d *Daemon) Node() *node.Node { return d.first.Node() }

// RootKey is the network's root key in DER form.
func (d *Daemon) RootKey() []byte { return d.Node().View().RootKey }

// Seed is what the network's keys, ids and randomness come from.
func (d *Daemon) Seed() []byte {
	seed := d.first.About().Seed
	return seed[:]
}

// Instances are the instances of the daemon, to be made, found and deleted.
func (d *Daemon) Instances() *instance.Registry { return d.instances }

// Subnets are the network's subnets, the root subnet first.
func (d *Daemon) Subnets() []Subnet {
	var subnets []Subnet
	for _, s := range d.Node().View().Subnets {
		subnets = append(subnets, Subnet{s.ID, s.Kind.String(), s.Ranges[0].Start})
	}
	return subnets
}

// Close ends the daemon and frees everything it took: requests under way get
// some seconds, then they are cut off.
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
	d.memory.close()
	select {
	case <-d.failed:
		errs = append(errs, d.err)
	default:
	}
	return errors.Join(errs...)
}

// hangUp ends the servers: requests under way get time to be answered, then they
// are told that their answer has to be asked for again, then they are cut off.
func (d *Daemon) hangUp() (err error) {
	defer d.mux.close()
	defer func() { err = errors.Join(err, d.profiles.close()) }()
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

func (d *Daemon) shutdown(patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return d.server.Shutdown(ctx)
}

// Version is the version of this build: the module's version where it was
// installed as one, else the commit it was built from.
func Version() string { return version() }

var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "commit " + s.Value[:min(12, len(s.Value))]
		}
	}
	return "development"
})
