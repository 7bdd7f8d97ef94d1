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

// connectionLimit limits the connections of clients, so that the daemon keeps descriptors for its files. At the limit,
// a new connection replaces the one that has been idle longest: silent, slow, or kept open for the next request. The
// new one waits if that was just opened, or its request has just begun to arrive.
type connectionLimit struct {
	most int // connections; of gRPC at most half as many

	mu     sync.Mutex // guards the fields below and the fields of connections
	open   int
	grpc   int
	silent list.List // of *limitedConn without a request, the oldest first
	begun  list.List // of *limitedConn whose request has begun to arrive, the oldest first
}

// limitedConn is a connection that counts towards a limit.
type limitedConn struct {
	net.Conn
	limit    *connectionLimit
	requests int           // in progress
	in       *list.List    // silent or begun; nil while a request is in progress, and once closed
	place    *list.Element // in that list
	since    time.Time     // when it was put there
	grpc     bool
	closed   bool
	heard    atomic.Bool // it is not silent; written under the lock
}

func newConnectionLimit(most int) *connectionLimit { return &connectionLimit{most: most} }

// count returns the number of open connections, and their limit.
func (l *connectionLimit) count() (open, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open, l.most
}

// admit counts a new connection. At the limit it closes an idle one, for which it may have to wait. If all are busy, it
// closes the new one and returns nil.
func (l *connectionLimit) admit(conn net.Conn) *limitedConn {
	for {
		victim, wait, full := l.choose(time.Now())
		switch {
		case !full:
			return l.enter(conn)
		case victim != nil:
			_ = victim.Conn.Close()
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

// choose removes the connection to close for a new one, if the limit is reached. If all idle ones are spared, wait is
// the time until the first can be closed; it is 0 if none is idle.
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

// oldest returns the first of a list, and for how long it is still spared: all that were added after the time spared
// are. Silent ones whose socket has unread bytes move to begun. Needs mu.
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

// evict closes the connection that has been idle longest, spared or not. It returns false if none is idle.
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

// move moves the connection to the end of a list; nil for none. Needs the limit's mu.
func (c *limitedConn) move(to *list.List) {
	if c.in != nil {
		c.in.Remove(c.place)
	}
	if c.in, c.place = to, nil; to != nil {
		c.place, c.since = to.PushBack(c), time.Now()
	}
}

// begin records that a request has begun to arrive. Needs the limit's mu.
func (c *limitedConn) begin() {
	c.heard.Store(true)
	if c.in != nil {
		c.move(&c.limit.begun)
	}
}

// leave stops counting the connection. Needs the limit's mu.
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

// Read reads. The first bytes of a request spare the connection for a while. Where the system can peek at a socket,
// Read marks the connection before it takes them from the socket: choose once ran between the two, found the connection
// silent with an empty socket, and closed it. The client of that request read an end of file.
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

// hear records that the first bytes of a request have arrived.
func (c *limitedConn) hear() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	c.begin()
}

// occupy records that a request is in progress.
func (c *limitedConn) occupy() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	c.requests++
	c.move(nil)
}

// release records that the handler of a request has returned. The server still writes the end of the response, so until
// rest the connection is spared like one whose request has begun to arrive.
func (c *limitedConn) release() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	if c.requests--; c.requests == 0 && !c.closed {
		c.move(&c.limit.begun)
	}
}

// rest records that all responses were written, and the connection is kept open for the next request.
func (c *limitedConn) rest() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	if c.requests == 0 && !c.closed {
		c.heard.Store(false)
		c.move(&c.limit.silent)
	}
}

// occupyByGRPC records that the connection speaks gRPC: it stays busy until it is closed, as the
// gRPC server pings silent clients. It returns false if gRPC has its share of connections.
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

// Close closes the connection, and stops counting it.
func (c *limitedConn) Close() error {
	c.limit.mu.Lock()
	c.leave()
	c.limit.mu.Unlock()
	return c.Conn.Close()
}

// limitedListener applies the limit to the connections of a listener.
type limitedListener struct {
	net.Listener
	limit *connectionLimit
	grpc  bool // only gRPC is spoken: a connection is idle until its client has sent something
}

// Accept returns the next admitted connection.
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

// grpcConn is a connection of gRPC at its own address.
type grpcConn struct {
	*limitedConn
	once     sync.Once
	rejected bool // gRPC already had its share of connections
}

// Read reads. The first bytes make the connection busy.
func (c *grpcConn) Read(p []byte) (int, error) {
	n, err := c.limitedConn.Read(p)
	if n > 0 {
		c.once.Do(func() { c.rejected = !c.occupyByGRPC() })
	}
	if c.rejected {
		return 0, net.ErrClosed
	}
	return n, err
}

// connectionKey is the key of the connection in the contexts of requests.
type connectionKey struct{}

// withConnection adds the connection to the context of its requests.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	if limited := limitedBelow(conn); limited != nil {
		return context.WithValue(ctx, connectionKey{}, limited)
	}
	return ctx
}

// restIdle is the ConnState hook of HTTP servers: it makes connections rest once their responses were written.
func restIdle(conn net.Conn, state http.ConnState) {
	if limited := limitedBelow(conn); limited != nil && state == http.StateIdle {
		limited.rest()
	}
}

// limitedBelow unwraps a connection of a protocol, nil if it is not limited.
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

// occupying makes the connection of a request busy while the handler runs.
func occupying(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(connectionKey{}).(*limitedConn); ok {
			conn.occupy()
			defer conn.release()
		}
		next.ServeHTTP(w, r)
	})
}
