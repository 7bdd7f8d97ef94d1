package daemon

import (
	"bytes"
	"errors"
	"net"
	"sync"
	"time"
)

// preface begins every HTTP/2 connection without TLS (RFC 9113, section 3.4). Browsers open none, and here only gRPC
// uses it.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// protocolMux shares one listener between HTTP/1 and gRPC. It distinguishes them by the first bytes of a connection,
// and passes the connection to the server of that protocol.
type protocolMux struct {
	listener net.Listener
	limit    *connectionLimit
	http     protocolListener
	grpc     protocolListener
	running  sync.WaitGroup
	ended    chan struct{}
	end      sync.Once
	mu       sync.Mutex            // guards waiting
	waiting  map[net.Conn]struct{} // connections whose protocol is not yet known; nil once closed
}

func newProtocolMux(l net.Listener, limit *connectionLimit) *protocolMux {
	s := &protocolMux{listener: l, limit: limit, ended: make(chan struct{}), waiting: make(map[net.Conn]struct{})}
	for _, l := range []*protocolListener{&s.http, &s.grpc} {
		*l = protocolListener{mux: s, accepted: make(chan net.Conn), closed: make(chan struct{})}
	}
	return s
}

// run ends after acceptTries failures to accept, with a pause between them. Without free
// descriptors it never gives up: it closes idle connections, which frees some.
const (
	acceptTries = 100
	acceptPause = 50 * time.Millisecond
)

// run accepts connections until the mux is closed.
func (s *protocolMux) run() error {
	defer s.close()
	for failed := 0; ; {
		conn, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case outOfDescriptors(err):
			s.limit.evict()
			time.Sleep(acceptPause)
			continue
		case err != nil && failed >= acceptTries:
			return err
		case err != nil:
			failed++
			time.Sleep(acceptPause)
			continue
		}
		failed = 0
		if admitted := s.limit.admit(conn); admitted != nil {
			s.begin(admitted)
		}
	}
}

// begin starts a goroutine that connects a connection, or closes it if the mux is closed. running is incremented under
// the lock, so that close waits for every goroutine.
func (s *protocolMux) begin(conn *limitedConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		_ = conn.Close()
		return
	}
	s.waiting[conn] = struct{}{}
	s.running.Go(func() { s.connect(conn) })
}

// connect reads the first bytes of a connection, and passes it to the listener of its protocol.
func (s *protocolMux) connect(conn *limitedConn) {
	known := &knownConn{Conn: conn}
	_ = conn.SetReadDeadline(time.Now().Add(headTimeout)) // if it is closed, the read below fails
	for len(known.begun) < len(preface) && bytes.HasPrefix([]byte(preface), known.begun) {
		var buffer [len(preface)]byte
		n, err := conn.Read(buffer[:len(preface)-len(known.begun)])
		known.begun = append(known.begun, buffer[:n]...)
		if err != nil {
			s.forget(conn)
			_ = conn.Close()
			return
		}
	}
	s.forget(conn)
	_ = conn.SetReadDeadline(time.Time{})
	to := &s.http
	if string(known.begun) == preface {
		to = &s.grpc
		if !conn.occupyByGRPC() {
			_ = conn.Close() // its client retries
			return
		}
	}
	select {
	case to.accepted <- known:
	case <-to.closed:
		_ = conn.Close()
	case <-s.ended:
		_ = conn.Close()
	}
}

// forget removes a connection from those whose protocol is not yet known.
func (s *protocolMux) forget(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, conn)
}

// close closes the listener and the connections whose protocol is not yet known.
func (s *protocolMux) close() {
	s.end.Do(func() {
		close(s.ended)
		_ = s.listener.Close()
		s.mu.Lock()
		for conn := range s.waiting {
			_ = conn.Close()
		}
		s.waiting = nil
		s.mu.Unlock()
	})
	s.running.Wait()
}

// protocolListener is the listener of one protocol of a protocolMux.
type protocolListener struct {
	mux      *protocolMux
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

// Accept returns the next connection of this protocol.
func (l *protocolListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accepted:
		return conn, nil
	case <-l.closed:
	case <-l.mux.ended:
	}
	return nil, net.ErrClosed
}

// Close ends Accept. The other protocol is still served.
func (l *protocolListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr returns the address of the shared listener.
func (l *protocolListener) Addr() net.Addr { return l.mux.listener.Addr() }

// knownConn is a connection of a known protocol. It returns the bytes that the mux has read again.
type knownConn struct {
	net.Conn
	begun []byte
}

// Read returns the bytes that the mux has read, then those of the connection.
func (c *knownConn) Read(p []byte) (int, error) {
	if len(c.begun) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.begun)
	if c.begun = c.begun[n:]; len(c.begun) == 0 {
		c.begun = nil
	}
	return n, nil
}
