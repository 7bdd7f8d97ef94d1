package daemon

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// connectionLimit bounds the connections of clients, so that the daemon keeps descriptors for
// its files. Where all are taken, the connection that has waited longest without a request
// under way, be it silent, slow or kept for the next request, is closed for a new one.
type connectionLimit struct {
	most int // connections; of gRPC at most half as many

	mu   sync.Mutex // guards the fields below and those of connections
	open int
	grpc int
	idle list.List // of *limitedConn without a request under way, the oldest first
}

// limitedConn is a connection that counts.
type limitedConn struct {
	net.Conn
	limit    *connectionLimit
	requests int           // under way
	place    *list.Element // in idle; nil while a request is under way, and once it is closed
	grpc     bool
	closed   bool
}

func newConnectionLimit(most int) *connectionLimit { return &connectionLimit{most: most} }

// admit counts a new connection; nil where there is no room for it: it was closed.
func (l *connectionLimit) admit(conn net.Conn) *limitedConn {
	l.mu.Lock()
	full := l.open >= l.most
	l.mu.Unlock()
	if full && !l.evict() {
		_ = conn.Close() // all others are busy
		return nil
	}
	c := &limitedConn{Conn: conn, limit: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open++
	c.place = l.idle.PushBack(c)
	return c
}

// evict closes the connection that has been idle for longest; it is false where none is.
func (l *connectionLimit) evict() bool {
	l.mu.Lock()
	oldest := l.idle.Front()
	l.mu.Unlock()
	if oldest == nil {
		return false
	}
	_ = oldest.Value.(*limitedConn).Close() // its client hears nothing more
	return true
}

// occupy says that a request is under way.
func (c *limitedConn) occupy() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	c.requests++
	if c.place != nil {
		c.limit.idle.Remove(c.place)
		c.place = nil
	}
}

// release says that a request is over.
func (c *limitedConn) release() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	if c.requests--; c.requests == 0 && !c.closed {
		c.place = c.limit.idle.PushBack(c)
	}
}

// occupyByGRPC says that gRPC is spoken, whose server asks silent clients for signs of life:
// the connection stays busy until it is closed. It is false where gRPC has its share.
func (c *limitedConn) occupyByGRPC() bool {
	c.limit.mu.Lock()
	full := c.limit.grpc >= c.limit.most/2
	if !full && !c.closed {
		c.grpc = true
		c.limit.grpc++
	}
	c.limit.mu.Unlock()
	if full {
		return false
	}
	c.occupy()
	return true
}

// Close closes the connection, which counts no more.
func (c *limitedConn) Close() error {
	c.limit.mu.Lock()
	if !c.closed {
		c.closed = true
		c.limit.open--
		if c.grpc {
			c.limit.grpc--
		}
		if c.place != nil {
			c.limit.idle.Remove(c.place)
			c.place = nil
		}
	}
	c.limit.mu.Unlock()
	return c.Conn.Close()
}

// limitedListener admits the connections of a listener. grpc says that only gRPC is spoken
// there: a connection is idle until its client has sent something.
type limitedListener struct {
	net.Listener
	limit *connectionLimit
	grpc  bool
}

// Accept is the next connection there is room for.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			if outOfDescriptors(err) {
				l.limit.evict()
			}
			return nil, err
		}
		switch admitted := l.limit.admit(conn); {
		case admitted == nil:
		case l.grpc:
			return &grpcConn{limitedConn: admitted}, nil
		default:
			return admitted, nil
		}
	}
}

// grpcConn is a connection of gRPC at an address of its own.
type grpcConn struct {
	*limitedConn
	once  sync.Once
	spare bool // gRPC had no room for it
}

// Read reads; the first bytes make the connection busy.
func (c *grpcConn) Read(p []byte) (int, error) {
	n, err := c.limitedConn.Read(p)
	if n > 0 {
		c.once.Do(func() { c.spare = !c.occupyByGRPC() })
	}
	if c.spare {
		return 0, net.ErrClosed
	}
	return n, err
}

// connectionKey is where contexts of requests have their connection.
type connectionKey struct{}

// withConnection puts the connection into the context of its requests.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	if known, ok := conn.(*knownConn); ok {
		conn = known.Conn
	}
	if limited, ok := conn.(*limitedConn); ok {
		return context.WithValue(ctx, connectionKey{}, limited)
	}
	return ctx
}

// occupying makes the connection of a request busy while it is answered.
func occupying(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(connectionKey{}).(*limitedConn); ok {
			conn.occupy()
			defer conn.release()
		}
		next.ServeHTTP(w, r)
	})
}
