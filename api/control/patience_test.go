package control

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// wires is a listener of connections in memory: in a bubble of synctest, time passes while all of
// them are silent.
type wires struct {
	dialed chan net.Conn
	closed chan struct{}
}

func (w *wires) Accept() (net.Conn, error) {
	select {
	case conn := <-w.dialed:
		return conn, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

func (w *wires) Close() error {
	select {
	case <-w.closed:
	default:
		close(w.closed)
	}
	return nil
}

func (w *wires) Addr() net.Addr { return &net.UnixAddr{Name: "wires", Net: "unix"} }

// frame is one of HTTP/2 that a server sent, or its end of the connection.
type frame struct {
	after time.Duration
	kind  byte
	data  string
}

const (
	ping, goAway, end = 6, 7, 0xff // kinds of frames

	greeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" // of a client
	silence  = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	pings    = "\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678"
)

// dial connects to a server, sends the first bytes and hears what the server says.
func (w *wires) dial(t *testing.T, first string) (conn net.Conn, heard <-chan frame) {
	conn, other := net.Pipe()
	t.Cleanup(func() { conn.Close() })
	all, begun := make(chan frame, 100), time.Now()
	w.dialed <- other
	go func() {
		defer close(all)
		head := make([]byte, 9)
		for {
			if _, err := io.ReadFull(conn, head); err != nil {
				all <- frame{time.Since(begun), end, ""} // in a bubble
				return
			}
			data := make([]byte, binary.BigEndian.Uint32(append([]byte{0}, head[:3]...)))
			_, _ = io.ReadFull(conn, data)                         // the next head fails as well
			all <- frame{time.Since(begun), head[3], string(data)} // in a bubble
		}
	}()
	go func() { _, _ = io.WriteString(conn, first) }() // the server may close the connection instead
	return conn, all
}

// wired runs a test with a server whose clock passes only when everything waits.
func wired(t *testing.T, test func(*testing.T, *Server, *wires)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, w := New(nil, Options{}), &wires{make(chan net.Conn), make(chan struct{})}
		done := make(chan error, 1)
		go func() { done <- s.Serve(w) }()
		test(t, s, w)
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		s.Close(stopped)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// next is the next thing of a kind that a server says.
func next(heard <-chan frame, kinds ...byte) frame {
	for s := range heard {
		if slices.Contains(kinds, s.kind) {
			return s
		}
	}
	return frame{}
}

func TestAConnectionIsOpenWithinTenSeconds(t *testing.T) {
	for _, first := range []string{"", greeting[:5], greeting} {
		wired(t, func(t *testing.T, _ *Server, w *wires) {
			_, heard := w.dial(t, first)
			if got := next(heard, end); got.after != 10*time.Second {
				t.Errorf("after %q it is closed after %v", first, got.after)
			}
		})
	}
}

func TestASilentConnectionIsAskedForASignOfLifeAfterTenSecondsAndClosedAfterTwenty(t *testing.T) {
	wired(t, func(t *testing.T, _ *Server, w *wires) {
		_, heard := w.dial(t, greeting+silence)
		if got := next(heard, ping, end); got.kind != ping || got.after != 10*time.Second {
			t.Errorf("the first sign of life: %+v", got)
		}
		if got := next(heard, ping, end); got.kind != end || got.after != 20*time.Second {
			t.Errorf("then: %+v", got)
		}
	})
}

func TestAClientMayAskForASignOfLifeEveryFiveSeconds(t *testing.T) {
	for every, want := range map[time.Duration]string{5 * time.Second: "", 5*time.Second - time.Millisecond: "\x00\x00\x00\x00\x00\x00\x00\x0btoo_many_pings"} {
		wired(t, func(t *testing.T, _ *Server, w *wires) {
			conn, heard := w.dial(t, greeting+silence)
			for range 10 {
				time.Sleep(every)                  // in a bubble
				_, _ = io.WriteString(conn, pings) // fails once the connection is closed
			}
			synctest.Wait()
			conn.Close()
			if got := next(heard, goAway); got.data != want {
				t.Errorf("every %v: the server says %q, want %q", every, got.data, want)
			}
		})
	}
}

func TestClientsHaveHalfASecondToHearThatTheDaemonStops(t *testing.T) {
	wired(t, func(t *testing.T, s *Server, w *wires) {
		_, heard := w.dial(t, "")
		synctest.Wait() // the server waits for it to begin
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		s.Close(stopped)
		if got := next(heard, end); got.after != 500*time.Millisecond {
			t.Errorf("a client that says nothing is cut off after %v", got.after)
		}
	})
}
