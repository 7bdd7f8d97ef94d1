package workqueue

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Embedded is the scheme of URLs that ask for a server of this process: embedded://[TOKEN@]HOST:PORT, with port 0 for any.
const Embedded = "embedded"

// loopback is where a server listens that is not told where.
const loopback = "127.0.0.1:0"

// embedded is a NATS server of this process.
type embedded struct {
	server *server.Server
	url    string // for workers
	folder string // of its objects
	log    lastWarning
}

// listen starts a server. Without a token in the URL it makes one.
func listen(ctx context.Context, at *url.URL) (*embedded, error) {
	host, portText, err := net.SplitHostPort(cmp.Or(at.Host, loopback))
	if err != nil {
		return nil, fmt.Errorf("invalid address %q: expected HOST:PORT, for example embedded://0.0.0.0:4222", at.Host)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("invalid port %q: expected 0 to 65535", portText)
	}
	token := cmp.Or(at.User.Username(), rand.Text())
	folder, err := os.MkdirTemp("", "canisterd-explore-")
	if err != nil {
		return nil, fmt.Errorf("making the folder of the NATS server: %w", err)
	}
	e := &embedded{folder: folder}
	if err := e.start(ctx, host, int(port), token); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

func (e *embedded) start(ctx context.Context, host string, port int, token string) (err error) {
	if port == 0 {
		port = server.RANDOM_PORT
	} else if taken, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port))); err != nil {
		return fmt.Errorf("starting a NATS server: %w", err)
	} else {
		_ = taken.Close() // the server listens there next
	}
	e.server, err = server.NewServer(&server.Options{
		ServerName: "canisterd", Host: host, Port: port, Authorization: token, JetStream: true, StoreDir: e.folder, JetStreamMaxMemory: 2 * queueBytes,
		JetStreamMaxStore: objectBytes, MaxPayload: messageBytes, NoLog: true, NoSigs: true, DisableJetStreamBanner: true,
	})
	if err != nil {
		return fmt.Errorf("starting a NATS server: %w", err)
	}
	e.server.SetLoggerV2(&e.log, false, false, false)
	e.server.Start()
	if !e.server.ReadyForConnections(connectPatience) {
		return fmt.Errorf("starting a NATS server: it does not listen at %s after %s", net.JoinHostPort(host, strconv.Itoa(port)), connectPatience)
	}
	own, ok := e.server.Addr().(*net.TCPAddr)
	if !ok {
		return fmt.Errorf("starting a NATS server: it listens at %s", e.server.Addr())
	}
	shown := own.IP.String()
	if own.IP.IsUnspecified() {
		if shown, err = os.Hostname(); err != nil {
			return fmt.Errorf("starting a NATS server: the name of this computer: %w", err)
		}
	}
	e.url = (&url.URL{Scheme: "nats", User: url.User(token), Host: net.JoinHostPort(shown, strconv.Itoa(own.Port))}).String()
	return nil
}

// lastWarning is a log that keeps its newest warning or error. JetStream logs why it could not create a file; its answer
// does not say it.
type lastWarning struct {
	mu   sync.Mutex // guards text
	text string
}

var _ server.Logger = (*lastWarning)(nil)

// String is the newest warning, or "".
func (w *lastWarning) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}

// Warnf keeps a warning.
func (w *lastWarning) Warnf(format string, v ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = fmt.Sprintf(format, v...)
}

// Errorf keeps an error.
func (w *lastWarning) Errorf(format string, v ...any) { w.Warnf(format, v...) }

// Fatalf keeps an error that ends the server.
func (w *lastWarning) Fatalf(format string, v ...any) { w.Warnf(format, v...) }

// Noticef drops a notice.
func (*lastWarning) Noticef(string, ...any) {}

// Debugf drops a line for debugging.
func (*lastWarning) Debugf(string, ...any) {}

// Tracef drops a line for debugging.
func (*lastWarning) Tracef(string, ...any) {}

// inside is how this process connects.
func (e *embedded) inside() nats.Option { return nats.InProcessServer(e.server) }

// close ends the server.
func (e *embedded) close() {
	if e.server != nil {
		e.server.Shutdown()
		e.server.WaitForShutdown()
	}
	_ = os.RemoveAll(e.folder) // in the folder for temporary files
}
