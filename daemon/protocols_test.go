package daemon

import (
	"net"
	"sync"
	"testing"
)

// The race detector sees a connection that is not counted before the mux waits for all of them.
func TestABoardMayCloseWhileConnectionsBegin(t *testing.T) {
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		mux := newProtocolMux(l, newConnectionLimit(10))
		var running sync.WaitGroup
		running.Go(func() {
			if err := mux.run(); err != nil {
				t.Error(err)
			}
		})
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		mux.close()
		running.Wait()
		_ = conn.Close()
	}
}
