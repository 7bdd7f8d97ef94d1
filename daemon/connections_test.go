package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/internal/eventually"
)

func TestIdleConnectionsMakeRoomForNewOnesOldestFirst(t *testing.T) {
	d := started(t, Config{})
	d.limit.mu.Lock()
	d.limit.most = 6
	d.limit.mu.Unlock()
	address := strings.TrimPrefix(d.URL(), "http://")
	var idle []net.Conn
	for i := range 50 {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		switch i % 3 { // silent, HTTP that is slow, and gRPC that is slow
		case 1:
			_, _ = io.WriteString(conn, "GET /api/v2/status HTTP/1.1\r\nHost: local")
		case 2:
			_, _ = io.WriteString(conn, preface[:10])
		}
		idle = append(idle, conn)
	}
	response, err := http.Get(d.URL() + "/api/v2/status")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("beside idle connections: %v, %v", response, err)
	}
	response.Body.Close()
	_ = idle[0].SetReadDeadline(time.Now().Add(eventually.Limit))
	if n, err := idle[0].Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Errorf("the oldest connection is still open: %d, %v", n, err)
	}
}

func TestBusyConnectionsAreNotClosedForNewOnes(t *testing.T) {
	limit := newConnectionLimit(2)
	pipe := func() net.Conn { a, b := net.Pipe(); t.Cleanup(func() { b.Close() }); return a }
	first, second := limit.admit(pipe()), limit.admit(pipe())
	first.occupy()
	third := limit.admit(pipe())
	if third == nil || !second.closed || first.closed {
		t.Fatalf("the idle connection was not closed for a new one: first %v, second %v", first.closed, second.closed)
	}
	third.occupy()
	if limit.admit(pipe()) != nil || limit.open != 2 {
		t.Errorf("a connection was admitted beside %d busy ones", limit.open)
	}
	first.release()
	first.rest()
	if limit.admit(pipe()) == nil || !first.closed {
		t.Error("a connection whose request is over made no room")
	}
	third.release()
	third.rest()
	third.Close()
	third.Close()
	if limit.open != 1 || limit.silent.Len() != 1 {
		t.Errorf("%d are open, %d idle, want 1 and 1", limit.open, limit.silent.Len())
	}
}

// A handler had returned, and its response was still in the buffer of the server. A new connection, 20 ms later, closed
// this one, and the client read an end of file.
func TestAConnectionWhoseAnswerIsBeingWrittenIsSpared(t *testing.T) {
	limit := newConnectionLimit(1)
	a, b := net.Pipe()
	defer b.Close()
	c := limit.admit(a)
	c.occupy()
	c.release()
	if victim, wait, _ := limit.choose(c.since.Add(silentGrace)); victim != nil || wait != begunGrace-silentGrace {
		t.Errorf("before the answer was written: %v, wait %v", victim, wait)
	}
	restIdle(c, http.StateActive)
	if limit.silent.Len() != 0 {
		t.Error("a connection rests that is active")
	}
	restIdle(c, http.StateIdle)
	if victim, _, _ := limit.choose(c.since.Add(silentGrace)); victim != c {
		t.Errorf("after the answer was written: %v", victim)
	}
}

func TestGRPCHasHalfOfTheConnections(t *testing.T) {
	limit := newConnectionLimit(4)
	for i := range 3 {
		a, b := net.Pipe()
		defer b.Close()
		if got, want := limit.admit(a).occupyByGRPC(), i < 2; got != want {
			t.Errorf("connection %d of gRPC: %v, want %v", i, got, want)
		}
	}
}

// blockingConn is a connection that says when a read of its socket begins to wait.
type blockingConn struct {
	*net.TCPConn
	waits func()
}

func (c blockingConn) Read(p []byte) (int, error) {
	c.waits()
	return c.TCPConn.Read(p)
}

// SyscallConn implements syscall.Conn, with which bytes are awaited without being read.
func (c blockingConn) SyscallConn() (syscall.RawConn, error) {
	raw, err := c.TCPConn.SyscallConn()
	return blockingRaw{raw, c.waits}, err
}

type blockingRaw struct {
	syscall.RawConn
	waits func()
}

func (c blockingRaw) Read(try func(fd uintptr) (done bool)) error {
	return c.RawConn.Read(func(fd uintptr) bool {
		done := try(fd)
		if !done {
			c.waits()
		}
		return done
	})
}

func TestAReadOfASilentConnectionEndsWithItsDeadlineItsClientAndItsClose(t *testing.T) {
	for name, end := range map[string]func(client net.Conn, c *limitedConn){
		"deadline": func(_ net.Conn, c *limitedConn) { _ = c.SetReadDeadline(time.Now()) },
		"client":   func(client net.Conn, _ *limitedConn) { _ = client.Close() },
		"close":    func(_ net.Conn, c *limitedConn) { _ = c.Close() },
	} {
		client, server := connected(t)
		waits := make(chan struct{})
		c := newConnectionLimit(1).admit(blockingConn{server.(*net.TCPConn), sync.OnceFunc(func() { close(waits) })})
		read := make(chan error, 1)
		go func() {
			_, err := c.Read(make([]byte, 1))
			read <- err
		}()
		eventually.Receive(t, name+": a read that waits", waits)
		end(client, c)
		want := map[string]error{"deadline": os.ErrDeadlineExceeded, "client": io.EOF, "close": net.ErrClosed}[name]
		if err := eventually.Receive(t, name+": the end of the read", read); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// connected returns both ends of a connection.
func connected(t *testing.T) (client, server net.Conn) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if client, err = new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return client, server
}

func TestAnIdleConnectionIsSparedFor20MillisecondsAndFor250WithHalfARequest(t *testing.T) {
	for begun, grace := range map[bool]time.Duration{false: 20 * time.Millisecond, true: 250 * time.Millisecond} {
		limit := newConnectionLimit(1)
		a, b := net.Pipe()
		defer b.Close()
		c := limit.admit(a)
		if begun {
			c.begin()
		}
		if victim, wait, full := limit.choose(c.since.Add(grace - 1)); victim != nil || wait != 1 || !full {
			t.Errorf("begun %t, 1 ns before %v: %v, wait %v", begun, grace, victim, wait)
		}
		if victim, wait, full := limit.choose(c.since.Add(grace)); victim != c || !full {
			t.Errorf("begun %t, after %v: %v, wait %v", begun, grace, victim, wait)
		}
	}
}

// scarceListener is a listener that first fails to accept a number of times, because no descriptor is free.
type scarceListener struct {
	net.Listener
	failures int // left
}

func (s *scarceListener) Accept() (net.Conn, error) {
	if s.failures--; s.failures >= 0 {
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return s.Listener.Accept()
}

// pipeListener accepts the other ends of pipes.
type pipeListener struct {
	net.Listener
	dialed chan net.Conn
	closed chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{dialed: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	here, found := net.Pipe()
	l.dialed <- found
	return here, nil
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.dialed:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error { close(l.closed); return nil }

func (l *pipeListener) Addr() net.Addr { return new(net.TCPAddr) }

func TestWithoutFreeDescriptorsTheProtocolMultiplexerGoesOn(t *testing.T) {
	synctest.Test(t, acceptWithoutDescriptors)
}

func acceptWithoutDescriptors(t *testing.T) {
	l := newPipeListener()
	mux := newProtocolMux(&scarceListener{l, acceptTries + 5}, newConnectionLimit(10))
	ended := make(chan error, 1)
	go func() { ended <- mux.run() }()
	go func() {
		_ = http.Serve(&mux.http, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") }))
	}()
	transport := &http.Transport{DialContext: l.dial}
	response, err := (&http.Client{Transport: transport}).Get("http://localhost")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	transport.CloseIdleConnections()
	mux.close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAProcessTakesConnectionsForHalfOfItsDescriptors(t *testing.T) {
	for descriptors, want := range map[uint64]int{0: 8, 10: 8, 100: 50, 1024: 512, 1 << 40: 20_000} {
		if got := connectionsOf(descriptors); got != want {
			t.Errorf("with %d descriptors a daemon takes %d connections, want %d", descriptors, got, want)
		}
	}
}
