package pocketic

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/origin"
	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Host makes instances.
type Host interface {
	// Create makes an instance whose rounds and time the server moves.
	Create(ctx context.Context, spec *Spec) (Instance, error)
	// Fork makes an instance like those of Create that continues another one.
	Fork(ctx context.Context, of *Fork) (Instance, error)
	// Import makes one from a file that Export of its network has written.
	Import(ctx context.Context, file io.Reader) (Instance, error)
	// Ask answers an RPC of the control API about an instance, with JSON. known is false for a name that is not
	// offered. An error may be a *Refused.
	Ask(ctx context.Context, rpc, instance string, request []byte) (answer []byte, known bool, err error)
	// Listen serves a handler at an address until stop is called.
	Listen(at *Listener, handler http.Handler) (port int, stop func(), err error)
}

// Listener is an address to listen at.
type Listener struct {
	Address string   // host:port
	TLS     *KeyPair // nil: without TLS
}

// KeyPair names the files of a certificate and its key, in PEM form.
type KeyPair struct {
	Certificate string `json:"cert_path"`
	Key         string `json:"key_path"`
}

// KeyPairError is the error of a Host for a key pair that cannot be used.
type KeyPairError struct{ Err error }

// Error says why.
func (e *KeyPairError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *KeyPairError) Unwrap() error { return e.Err }

// Spec specifies an instance.
type Spec struct {
	Subnets    []replica.SubnetConfig
	Start      uint64 // ns, time before the first round
	RateLimits bool
	// SystemCanisters are installed before the client gets the instance.
	SystemCanisters []systemcanisters.Name
}

// Fork specifies the source of a fork.
type Fork struct {
	Source   string // name of an instance, also one of another interface
	Snapshot string // of it; "": its present
}

// Instance is one network with the code that drives it. It is safe for concurrent use.
type Instance interface {
	// Name returns the name of the instance in other interfaces.
	Name() string
	// Driver returns the owner of the network.
	Driver() *driver.Driver
	// Backend applies the wall clock, if it moves the time.
	Backend() api.Backend
	// API returns the HTTP interface of the Internet Computer.
	API() http.Handler
	// SetPacing sets what moves the instance from now on.
	SetPacing(ctx context.Context, by Pacing) error
	// PutAhead raises the time's lead over the wall clock to a minimum while the instance is live. The owner of the
	// network calls it.
	PutAhead(offset time.Duration)
	// Close ends the instance and frees its resources.
	Close() error
}

// Pacing is what moves an instance: who begins rounds, who moves the time, and who answers HTTP outcalls.
type Pacing uint8

// The pacings.
const (
	ByClient    Pacing = iota // all three
	ByWallClock               // rounds when there is work, the wall clock's time, and outcalls that are made
	ByMessages                // rounds when there is work; the client moves the time and answers outcalls
)

// Options configures a server.
type Options struct {
	Log *slog.Logger // nil: nothing is logged
	// Diagnostics gets lines for people who watch the server; nil: none.
	Diagnostics io.Writer
	// Major is the major version of the clients; 0: the newest.
	Major int
	// Memory is the budget for bodies, blobs and results of clients; nil: without a limit.
	Memory *budget.Budget
	// Pages is the budget for what gateways read and answer; nil: without a limit.
	Pages *budget.Budget
	// Origins are the pages that may use the server besides those of this machine: SCHEME://HOST, or * for all.
	Origins []string
}

// CheckOrigins returns an error if Options.Origins has something else than an origin.
func CheckOrigins(origins []string) error { return origin.Allowed(origins).Check() }

// Server serves the interface. It is safe for concurrent use.
type Server struct {
	host        Host
	log         *slog.Logger
	diagnostics io.Writer
	memory      *budget.Budget
	pages       *budget.Budget
	major       int // version of the clients; 0: the newest
	origins     origin.Allowed
	routes      *http.ServeMux
	blobs       blobs
	operations  operations
	streams     streams
	gateways    gateways
	inflating   chan struct{} // holds an element while a blob is inflated: one at a time, as it takes a whole processor

	pending atomic.Int64  // requests in progress
	served  atomic.Uint64 // finished requests

	mu      sync.Mutex // guards what follows
	closed  bool
	entries []*entry // by number; nil for deleted ones
}

// New makes a server.
func New(host Host, options Options) *Server {
	s := &Server{host: host, log: options.Log, diagnostics: options.Diagnostics, memory: options.Memory, pages: options.Pages, major: options.Major, origins: options.Origins}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.diagnostics == nil {
		s.diagnostics = io.Discard
	}
	s.inflating = make(chan struct{}, 1)
	s.routes = s.table()
	return s
}

// Activity returns the number of current and finished requests. A server without current requests is idle if no request
// has finished since the last call.
func (s *Server) Activity() (pending int64, served uint64) {
	return s.pending.Load(), s.served.Load()
}

// counted returns a handler that counts its requests.
func (s *Server) counted(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.pending.Add(1)
		defer func() {
			s.served.Add(1)
			s.pending.Add(-1)
		}()
		handler(w, r)
	}
}

// relocated returns a request with another path.
func relocated(r *http.Request, path string) *http.Request {
	inside := r.WithContext(r.Context())
	at := *r.URL
	at.Path, at.RawPath = path, ""
	inside.URL = &at
	return inside
}

// Close deletes all instances. No more can be made.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	entries := slices.Clone(s.entries)
	s.mu.Unlock()
	s.closeGateways(func(*gateway) bool { return true })
	var closing sync.WaitGroup
	for _, e := range entries {
		closing.Go(func() {
			if e == nil {
				return
			}
			if err := contain.Run(e.close); err != nil {
				s.log.Error("deleting the instance", "instance", e.number, "error", err)
			}
		})
	}
	closing.Wait()
	s.streams.close()
	return nil
}
