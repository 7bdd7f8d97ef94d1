package control_test

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/test/canistertest"
)

// bubble is a server of the control API whose connections are in memory, in a bubble of synctest: its time, and that of
// its clients, passes while all of them wait.
type bubble struct {
	*testing.T
	server   *control.Server
	registry *instance.Registry
	listener *bufconn.Listener
	ended    chan error // what Serve ends with
}

// newBubble starts a server with an instance that is the default one, where the test is in a bubble.
func newBubble(t *testing.T, spec instance.Spec) *bubble {
	t.Helper()
	b := &bubble{
		T:        t,
		registry: instance.NewRegistry(instance.Config{Wall: time.Now, CacheDir: canistertest.CacheDir(t), Seed: []byte{0}}),
		listener: bufconn.Listen(1 << 20),
		ended:    make(chan error, 1),
	}
	b.server = control.New(b.registry, control.Options{})
	go func() { b.ended <- b.server.Serve(b.listener) }()
	t.Cleanup(b.close)
	spec.Name = instance.Default
	if _, err := b.registry.Create(t.Context(), &spec); err != nil {
		t.Fatal(err)
	}
	return b
}

// bubbled is a client of a new server with the default instance as a daemon makes it.
func bubbled(t *testing.T) (*bubble, *api) {
	t.Helper()
	b := newBubble(t, instance.Spec{})
	return b, b.client()
}

// late is a context whose deadline comes when a test says so.
type late struct {
	context.Context
	passed chan struct{}
}

// untilToldLate makes a context whose deadline comes with a call.
func untilToldLate(ctx context.Context) (context.Context, context.CancelFunc) {
	l := late{ctx, make(chan struct{})}
	return l, sync.OnceFunc(func() { close(l.passed) })
}

// Done is closed when the deadline comes.
func (l late) Done() <-chan struct{} { return l.passed }

// Err is that of a deadline that has come.
func (l late) Err() error {
	select {
	case <-l.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// close ends the server, at once, and its instances.
func (b *bubble) close() {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	b.server.Close(now)
	if err := eventually.Receive(b, "the server ends", b.ended); err != nil {
		b.Error(err)
	}
	if err := b.registry.Close(); err != nil {
		b.Error(err)
	}
}

// client is one more client, with a connection of its own.
func (b *bubble) client(options ...grpc.DialOption) *api {
	b.Helper()
	dial := func(ctx context.Context, _ string) (net.Conn, error) { return b.listener.DialContext(ctx) }
	options = slices.Concat([]grpc.DialOption{grpc.WithContextDialer(dial), grpc.WithTransportCredentials(insecure.NewCredentials())}, options)
	return clientOf(b.T, b.registry, "passthrough:///bubble", options...)
}
