package daemon

import (
	"bytes"
	"errors"
	"net"
	"sync"
	"time"
)

// preface begins every connection of HTTP/2 without TLS (RFC 9113, section 3.4). No
// browser opens one, and nothing but gRPC is spoken over it here.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// protocolMux shares one listener between HTTP/1 and gRPC: which of them a connection
// is for is seen by its first bytes. Each is served by a server of its own, which has
// the connection to itself.
type protocolMux struct {
	listener net.Listener
	limit    *connectionLimit
	http     exchange
	grpc     exchange
	running  sync.WaitGroup
	ended    chan struct{}
	end      sync.Once
	mu       sync.Mutex            // guards waiting
	waiting  map[net.Conn]struct{} // connections with an unknown protocol so far
}

func newProtocolMux(l net.Listener, limit *connectionLimit) *protocolMux {
	s := &protocolMux{listener: l, limit: limit, ended: make(chan struct{}), waiting: make(map[net.Conn]struct{})}
	for _, e := range []*exchange{&s.http, &s.grpc} {
		*e = exchange{mux: s, accepted: make(chan net.Conn), closed: make(chan struct{})}
	}
	return s
}

// How often in a row, and how fast, an accept that fails is tried again. One that fails for
// want of descriptors is tried for ever: some are free soon, by those that are closed for it.
const (
	acceptTries = 100
	acceptPause = 50 * time.Millisecond
)

// run takes connections until it is closed.
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

// begin waits for the first bytes of a connection beside everything else. It closes the
// connection where the mux is closed. close waits for all connections that began before:
// they are counted under the same lock.
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

// connect gives a connection to whom it is for.
func (s *protocolMux) connect(conn *limitedConn) {
	known := &knownConn{Conn: conn}
	_ = conn.SetReadDeadline(time.Now().Add(headTimeout)) // a connection that is closed says so to the read
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
			_ = conn.Close() // its client tries again
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

func (s *protocolMux) forget(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, conn)
}

// close ends the listener and the connections that are still waiting.
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

// exchange is one protocol of a protocolMux: a listener.
type exchange struct {
	mux      *protocolMux
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

// Accept is the next connection for this side.
func (e *exchange) Accept() (net.Conn, error) {
	select {
	case conn := <-e.accepted:
		return conn, nil
	case <-e.closed:
	case <-e.mux.ended:
	}
	return nil, net.ErrClosed
}

// Close makes Accept end; the other side goes on.
func (e *exchange) Close() error {
	e.once.Do(func() { close(e.closed) })
	return nil
}

// Addr is the address of the listener both share.
func (e *exchange) Addr() net.Addr { return e.mux.listener.Addr() }

// knownConn is a connection whose first bytes were read; they are read again.
type knownConn struct {
	net.Conn
	begun []byte
}

// Read gives what was read before, then what comes.
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
