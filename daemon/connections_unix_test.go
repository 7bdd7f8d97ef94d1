//go:build unix

package daemon

import (
	"io"
	"net"
	"testing"
	"time"
)

func TestAConnectionWhoseRequestHasArrivedIsSpared(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	limit := newConnectionLimit(3)
	admit := func(sends string) *limitedConn {
		t.Helper()
		client, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		if _, err := io.WriteString(client, sends); err != nil {
			t.Fatal(err)
		}
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return limit.admit(conn)
	}
	unread, read := admit("GET"), admit("GET")
	silent := admit("")
	if _, err := read.Read(make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	next := admit("")
	if spared := silent.since.Add(20 * time.Millisecond); next.since.Before(spared) {
		t.Errorf("a silent connection was closed %v before it had 20ms to speak", spared.Sub(next.since))
	}
	if !silent.closed || unread.closed || read.closed {
		t.Errorf("closed are silent %v, sent and unread %v, sent and read %v; want the silent one", silent.closed, unread.closed, read.closed)
	}
	next.occupy()
	if last := admit(""); last == nil || unread.closed == read.closed {
		t.Errorf("of slow connections unread %v, read %v were closed, want one", unread.closed, read.closed)
	}
}

// hookedConn is a connection that calls a hook after each read from its socket.
type hookedConn struct {
	*net.TCPConn
	afterRead func()
}

func (c *hookedConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.afterRead()
	return n, err
}

// The machine had stalled for 20 ms. Then the reader of a connection took the request from the socket, and before it
// marked the connection, the acceptor found it silent with an empty socket, and closed it for a new one.
func TestAConnectionIsSparedWhileItsRequestIsTakenFromTheSocket(t *testing.T) {
	client, server := connected(t)
	limit := newConnectionLimit(1)
	conn := &hookedConn{TCPConn: server.(*net.TCPConn)}
	c := limit.admit(conn)
	called := false
	conn.afterRead = func() {
		called = true
		if victim, _, _ := limit.choose(c.since.Add(silentGrace)); victim != nil {
			t.Error("a connection was chosen whose request had arrived")
		}
	}
	if _, err := io.WriteString(client, "GET"); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 3)); n != 3 || err != nil || !called {
		t.Errorf("read %d bytes, %v; the hook was called: %t", n, err, called)
	}
}
