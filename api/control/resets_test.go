package control

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/peer"
)

// paired is a connection of a server and the client's end of it.
func paired(t *testing.T, all *connections) (c *connection, client net.Conn) {
	t.Helper()
	server, client := net.Pipe()
	c = newConnection(server, all)
	t.Cleanup(func() { _, _ = c.Close(), client.Close() })
	return c, client
}

// resetSome opens RPCs of a connection and resets them before their first message.
func resetSome(t *testing.T, c *connection, count int) {
	t.Helper()
	for range count {
		ctx, cancel := context.WithCancel(peer.NewContext(t.Context(), &peer.Peer{Addr: c.RemoteAddr()}))
		watch(ctx)
		cancel()
	}
	synctest.Wait()
}

// readAfter reads a byte and returns how long that took.
func readAfter(t *testing.T, c *connection, client net.Conn) time.Duration {
	t.Helper()
	begin := time.Now()
	go func() { _, _ = client.Write([]byte{1}) }() // it ends with the pipe
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return time.Since(begin) // in a bubble
}

func TestAConnectionWhoseClientResetsTooManyRPCsIsReadSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := &connections{open: map[*connection]struct{}{}}
		attacker, end := paired(t, all)
		other, otherEnd := paired(t, all)
		resetSome(t, attacker, resetBurst)
		if took := readAfter(t, attacker, end); took != 0 {
			t.Errorf("after %d resets a read waits %s", resetBurst, took)
		}
		resetSome(t, attacker, 20)
		if took, want := readAfter(t, attacker, end), 20*resetInterval; took != want {
			t.Errorf("after 20 resets more a read waits %s, want %s", took, want)
		}
		if took := readAfter(t, other, otherEnd); took != 0 {
			t.Errorf("a read of another connection waits %s", took)
		}
		resetSome(t, attacker, 10_000)
		if took := readAfter(t, attacker, end); took > maxResetPause {
			t.Errorf("after 10,000 resets a read waits %s, want at most %s", took, maxResetPause)
		}
		time.Sleep(resetBurst * resetInterval)
		resetSome(t, attacker, resetBurst)
		if took := readAfter(t, attacker, end); took != 0 {
			t.Errorf("when the allowance is whole again, a read waits %s", took)
		}
	})
}

func TestRPCsThatAreAnsweredAreNoResets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, client := paired(t, &connections{open: map[*connection]struct{}{}})
		for range 2 * resetBurst {
			ctx, cancel := context.WithCancel(peer.NewContext(t.Context(), &peer.Peer{Addr: c.RemoteAddr()}))
			r := rpcOf(watch(ctx))
			r.start()
			r.end()
			cancel() // as gRPC does after the answer
		}
		if took := readAfter(t, c, client); took != 0 {
			t.Errorf("a read waits %s", took)
		}
	})
}

func TestAPausedConnectionEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := paired(t, &connections{open: map[*connection]struct{}{}})
		resetSome(t, c, resetBurst+100)
		ended := make(chan struct{})
		begin := time.Now()
		go func() {
			defer close(ended)
			_, _ = c.Read(make([]byte, 1)) // it fails
		}()
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		<-ended
		if took := time.Since(begin); took != 0 {
			t.Errorf("the read ends after %s", took)
		}
	})
}
