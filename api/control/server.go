package control

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"github.com/canisterd/canisterd/api/control/internal/chunkcodec"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
	"github.com/canisterd/canisterd/internal/knownmodules"

	"github.com/canisterd/canisterd/internal/explore/workqueue/workerv1"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Options configures a server.
type Options struct {
	Log       *slog.Logger  // nil: nothing is logged
	KeepAlive time.Duration // 0: KeepAlive
	Token     string        // that clients must send; "": none
	Version   string        // of the daemon, for status requests
	// KnownModules is a file with modules that the user added to those that the program knows; "" for none.
	KnownModules knownmodules.File
	// Memory limits the memory of requests and answers; nil: no limit.
	Memory *budget.Budget
	// Observe is called after each unary RPC with its method (package.Service/Method), whether it failed, and how long
	// it took. Nil: no observer.
	Observe func(method string, failed bool, took time.Duration)
	// Transport is TLS; nil: none.
	Transport credentials.TransportCredentials
}

// Server serves the control API of a registry.
type Server struct {
	registry   Registry
	log        *slog.Logger
	grpc       *grpc.Server
	health     *health.Server
	keepAlive  time.Duration
	version    string
	closing    chan struct{} // closed when endless streams have to end
	close      sync.Once
	cut        context.Context // ends when everything has to end
	cutOff     context.CancelFunc
	open       connections
	interfaces interfaces // of canisters, for arguments and replies
	known      *knownmodules.Index
	observe    func(method string, failed bool, took time.Duration)
	showing    chan struct{}  // places in which streams make messages of events
	workers    *workqueue.Hub // of explorations
	questions  sync.Map       // *questionQueue by name: explorations that ask their clients
	// explorations are in progress: *atomic.Bool by name, true once EndExploration was called.
	explorations sync.Map
	token        *[sha256.Size]byte // its hash; nil if clients need none
}

// DaemonStops ends RPCs when the daemon stops.
var DaemonStops = instanceReasons[instance.Stopping]

// New makes a server with all services. It does not serve yet, and its health is NOT_SERVING until SetServing.
func New(registry Registry, options Options) *Server {
	s := &Server{registry: registry, log: options.Log, health: health.NewServer(), version: options.Version, closing: make(chan struct{}), token: tokenHash(options.Token)}
	s.open.memory, s.observe, s.known = options.Memory, options.Observe, knownmodules.NewIndex(options.KnownModules)
	s.workers = workqueue.NewHub(options.Version)
	s.showing = make(chan struct{}, max(runtime.GOMAXPROCS(0)/showingShare, 1))
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.cut, s.cutOff = context.WithCancel(context.Background())
	alive := cmp.Or(options.KeepAlive, KeepAlive)
	s.keepAlive = alive
	with := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxReadBytes), grpc.MaxSendMsgSize(MaxResponseBytes),
		grpc.MaxConcurrentStreams(MaxStreams), grpc.ConnectionTimeout(ConnectPatience), grpc.MaxHeaderListSize(MaxHeadBytes),
		grpc.NumStreamWorkers(streamWorkers), grpc.ForceServerCodecV2(chunkcodec.New()),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: alive, Timeout: alive}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: min(alive, MinPing), PermitWithoutStream: true}),
		grpc.UnaryInterceptor(s.guardUnary), grpc.StreamInterceptor(s.guardStream),
		grpc.InTapHandle(s.admit),
	}
	if options.Transport != nil {
		with = append(with, grpc.Creds(options.Transport))
	}
	s.grpc = grpc.NewServer(with...)
	controlv1.RegisterInstancesServer(s.grpc, &instances{Server: s})
	controlv1.RegisterCanistersServer(s.grpc, &canisters{Server: s})
	controlv1.RegisterCallsServer(s.grpc, &calls{Server: s})
	controlv1.RegisterClockServer(s.grpc, &clock{Server: s})
	controlv1.RegisterMessagesServer(s.grpc, &messages{Server: s})
	controlv1.RegisterEventsServer(s.grpc, &events{Server: s})
	controlv1.RegisterExplorerServer(s.grpc, &explorer{Server: s})
	controlv1.RegisterProfilerServer(s.grpc, &profiler{Server: s})
	controlv1.RegisterCoverageServer(s.grpc, &coverages{Server: s})
	workerv1.RegisterWorkersServer(s.grpc, s.workers)
	healthv1.RegisterHealthServer(s.grpc, s.health)
	registerReflection(s.grpc)
	s.SetServing(false)
	return s
}

// SetServing sets the answer of the health service, for the server ("") and for each service.
func (s *Server) SetServing(serving bool) {
	state := healthv1.HealthCheckResponse_NOT_SERVING
	if serving {
		state = healthv1.HealthCheckResponse_SERVING
	}
	s.health.SetServingStatus("", state)
	for name := range s.grpc.GetServiceInfo() {
		s.health.SetServingStatus(name, state)
	}
}

// Serve takes connections until the listener or the server is closed.
func (s *Server) Serve(l net.Listener) error {
	if err := s.grpc.Serve(s.open.listener(l)); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serving the control API at %s: %w", l.Addr(), err)
	}
	return nil
}

// Close reports NOT_SERVING to watching clients, and lets RPCs in progress end until ctx ends. The others then get
// DaemonStops, and are cut off after cutPatience.
func (s *Server) Close(ctx context.Context) {
	s.health.Shutdown()
	s.close.Do(func() { close(s.closing); s.workers.Close() })
	done := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.cutOff()
		s.open.cut()
		select {
		case <-done:
		case <-time.After(cutPatience):
			s.open.close() // including those that gRPC waits for to begin
			s.grpc.Stop()
			<-done
		}
	}
	s.cutOff()
}

// until returns a context for a stream that lasts until its client or the server ends it. context.Cause of it is the
// error for the client.
func (s *Server) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := make(chan struct{})
	go func() {
		select {
		case <-s.closing:
			cancel(DaemonStops.Refuse())
		case <-ctx.Done():
		case <-stop:
		}
	}()
	return ctx, sync.OnceFunc(func() { close(stop); cancel(nil) })
}

// instance returns the instance that a request names.
func (s *Server) instance(name string) (*instance.Instance, error) { return s.registry.Instance(name) }

// guardUnary runs the handler of a unary RPC, turns its errors into statuses and its panics into errors, and ends its
// context when the server is cut off.
func (s *Server) guardUnary(ctx context.Context, in any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (out any, err error) {
	r := rpcOf(ctx)
	r.start()
	defer r.end()
	begin := s.begins()
	defer func() {
		err = s.answer(info.FullMethod, contain.Recovered(recover()), err)
		s.ends(info.FullMethod, begin, err)
	}()
	if err := fits(r, in); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if r != nil {
		r.onCut(cancel)
		defer r.notCut()
	} else {
		defer context.AfterFunc(s.cut, func() { cancel(DaemonStops.Refuse()) })()
	}
	out, err = handler(ctx, in)
	if refused, ok := errors.AsType[*Error](context.Cause(ctx)); ok && err != nil {
		return nil, refused
	}
	if err == nil {
		err = sendable(r, out)
	}
	return out, err
}

// begins returns the time at which an RPC begins, for ends.
func (s *Server) begins() (begin time.Time) {
	if s.observe != nil {
		begin = time.Now()
	}
	return begin
}

// ends reports an RPC that has ended to the observer.
func (s *Server) ends(method string, begin time.Time, err error) {
	if s.observe != nil {
		s.observe(strings.TrimPrefix(method, "/"), err != nil, time.Since(begin))
	}
}

// guardStream is guardUnary for streams. A handler that waits for its client continues until gRPC ends the stream.
func (s *Server) guardStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	r := rpcOf(stream.Context())
	r.start()
	defer r.end()
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- s.answer(info.FullMethod, contain.Recovered(recover()), err) }()
		err = handler(srv, boundedStream{stream, r})
	}()
	select {
	case err := <-done:
		return err
	case <-s.cut.Done():
		return s.answer(info.FullMethod, nil, DaemonStops.Refuse())
	}
}

// answer returns the error for the client, and logs it. failed is what a panic was about, nil for none.
func (s *Server) answer(method string, failed, err error) error {
	if bug, ok := errors.AsType[*contain.Bug](cmp.Or(failed, err)); ok {
		s.log.Error("an RPC failed by a bug", "rpc", method, "bug", bug.Panic, "stack", string(bug.Stack))
		err = cmp.Or[error](err, Bug.Refuse(bug.Panic))
	} else if failed != nil {
		s.log.Error("an RPC needed a state directory that is damaged", "rpc", method, "error", failed)
		err = failed
	}
	if err == nil {
		return nil
	}
	if refused := refusalOf(err); refused != nil {
		s.log.Debug("refused", "rpc", method, "reason", refused.Reason.Name, "text", refused.Text)
		return refused
	}
	return err
}

// guarded runs a function on its own goroutine. A panic in it becomes the error, like one in a handler.
func guarded(do func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- contain.Run(do) }()
	return done
}
