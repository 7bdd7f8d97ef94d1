package daemon

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// connectionLimit bounds the connections of clients, so that the daemon keeps descriptors for
// its files. Where all are taken, the connection that has waited longest without a request
// under way, be it silent, slow or kept for the next request, is closed for a new one. One that
// was opened just now, or whose request just begins to come, is spared: the new one waits.
type connectionLimit struct {
	most int // connections; of gRPC at most half as many

	mu     sync.Mutex // guards the fields below and the fields of connections
	open   int
	grpc   int
	silent list.List // of *limitedConn without a request under way, the oldest first
	begun  list.List // of those whose request has begun to come
}

// limitedConn is a connection that counts.
type limitedConn struct {
	net.Conn
	limit    *connectionLimit
	requests int           // under way
	in       *list.List    // silent or begun; nil while a request is under way, and once it is closed
	place    *list.Element // there
	since    time.Time     // when it came there
	grpc     bool
	closed   bool
	// heard says that it is not silent. It is written with the lock.
	heard atomic.Bool
}

func newConnectionLimit(most int) *connectionLimit { return &connectionLimit{most: most} }

// count is how many connections are open, and how many may be.
func (l *connectionLimit) count() (open, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open, l.most
}

// admit counts a new connection; nil if the limit is reached: it was closed. It may wait until another connection has
// been there for long enough to be closed.
func (l *connectionLimit) admit(conn net.Conn) *limitedConn {
	for {
		victim, wait, full := l.choose(time.Now())
		switch {
		case !full:
			return l.enter(conn)
		case victim != nil:
			_ = victim.Conn.Close() // its client hears nothing more
		case wait == 0:
			_ = conn.Close() // all others are busy
			return nil
		default:
			time.Sleep(wait)
		}
	}
}

func (l *connectionLimit) enter(conn net.Conn) *limitedConn {
	c := &limitedConn{Conn: conn, limit: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open++
	c.move(&l.silent)
	return c
}

// choose removes the connection that is to be closed for a new one if the limit is reached. wait is how long all are
// spared, 0 if none is idle.
func (l *connectionLimit) choose(now time.Time) (victim *limitedConn, wait time.Duration, full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open < l.most {
		return nil, 0, false
	}
	for _, from := range []struct {
		list  *list.List
		grace time.Duration
	}{{&l.silent, silentGrace}, {&l.begun, begunGrace}} {
		c, rest := l.oldest(from.list, now.Add(-from.grace))
		switch {
		case c == nil:
		case rest > 0:
			if wait == 0 || rest < wait {
				wait = rest
			}
		case victim == nil || c.since.Before(victim.since):
			victim = c
		}
	}
	if victim != nil {
		victim.leave()
	}
	return victim, wait, true
}

// oldest is the first of a list, and for how long it is spared where those are that came after
// a time. Silent ones whose request has come, and was not read yet, begin. Needs mu.
func (l *connectionLimit) oldest(of *list.List, spared time.Time) (c *limitedConn, rest time.Duration) {
	for e := of.Front(); e != nil; e = of.Front() {
		c = e.Value.(*limitedConn)
		if rest = c.since.Sub(spared); rest > 0 || of != &l.silent || !unread(c.Conn) {
			return c, max(rest, 0)
		}
		c.begin()
	}
	return nil, 0
}

// evict closes the connection that has been idle for longest, spared or not; it is false where none is.
func (l *connectionLimit) evict() bool {
	l.mu.Lock()
	var victim *limitedConn
	for _, of := range []*list.List{&l.silent, &l.begun} {
		if e := of.Front(); e != nil && (victim == nil || e.Value.(*limitedConn).since.Before(victim.since)) {
			victim = e.Value.(*limitedConn)
		}
	}
	if victim != nil {
		victim.leave()
	}
	l.mu.Unlock()
	return victim != nil && victim.Conn.Close() == nil
}

// move puts the connection at the end of a list; nil: into none. Needs the limit's mu.
func (c *limitedConn) move(to *list.List) {
	if c.in != nil {
		c.in.Remove(c.place)
	}
	if c.in, c.place = to, nil; to != nil {
		c.place, c.since = to.PushBack(c), time.Now()
	}
}

// begin says that a request begins to come. Needs the limit's mu.
func (c *limitedConn) begin() {
	c.heard.Store(true)
	if c.in != nil {
		c.move(&c.limit.begun)
	}
}

// leave says that the connection counts no more. Needs the limit's mu.
func (c *limitedConn) leave() {
	if c.closed {
		return
	}
	c.closed = true
	c.limit.open--
	if c.grpc {
		c.limit.grpc--
	}
	c.move(nil)
}

// Read reads; the first bytes of a request spare the connection for a while. It says so before it takes them from the
// socket, where the system can tell that they are there: a connection that was chosen between the two, silent and
// without bytes in its socket, was closed with its request. The client read an end of file.
func (c *limitedConn) Read(p []byte) (int, error) {
	silent := !c.heard.Load()
	if silent && awaitUnread(c.Conn) {
		c.hear()
		silent = false
	}
	n, err := c.Conn.Read(p)
	if silent && n > 0 {
		c.hear()
	}
	return n, err
}

// hear says that the first bytes of a request have come.
func (c *limitedConn) hear() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	c.begin()
}

// occupy says that a request is under way.
func (c *limitedConn) occupy() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	c.requests++
	c.move(nil)
}

// release says that the handler of a request has returned. The server still writes the end of the answer: the
// connection is spared like one whose request has begun, until rest.
func (c *limitedConn) release() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	if c.requests--; c.requests == 0 && !c.closed {
		c.move(&c.limit.begun)
	}
}

// rest says that all answers were written, and the connection is kept for the next request.
func (c *limitedConn) rest() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	if c.requests == 0 && !c.closed {
		c.heard.Store(false)
		c.move(&c.limit.silent)
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
	c.leave()
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
	if limited := limitedBelow(conn); limited != nil {
		return context.WithValue(ctx, connectionKey{}, limited)
	}
	return ctx
}

// restIdle is the hook of an HTTP server that makes connections rest once their answers were written.
func restIdle(conn net.Conn, state http.ConnState) {
	if limited := limitedBelow(conn); limited != nil && state == http.StateIdle {
		limited.rest()
	}
}

// limitedBelow is the connection that counts below those of a protocol; nil if there is none.
func limitedBelow(conn net.Conn) *limitedConn {
	if known, ok := conn.(*knownConn); ok {
		conn = known.Conn
	}
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	limited, _ := conn.(*limitedConn)
	return limited
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
