//go:build clients && unix

package e2e

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// With few descriptors, silent connections take all that clients may have. Requests are answered
// all the same, and the daemon keeps running. A connection is silent until its client writes: a request that this
// process, on a busy machine, writes too late is sent again.
func TestWithFewDescriptorsRequestsAreAnsweredBesideSilentConnections(t *testing.T) {
	d := startWithin(t, []string{"sh", "-c", `ulimit -n 100 && exec "$@"`, "sh"})
	u, err := url.Parse(d.url)
	if err != nil {
		t.Fatal(err)
	}
	over, done := context.WithCancel(t.Context())
	again := make(chan struct{}, 150) // each lets a client whose connection was closed connect again
	var silent sync.WaitGroup
	for range 150 {
		silent.Go(func() {
			for {
				if c, err := net.Dial("tcp", u.Host); err == nil {
					stop := context.AfterFunc(over, func() { _ = c.Close() })
					_, _ = c.Read(make([]byte, 1)) // until it is closed for another
					stop()
					_ = c.Close()
				}
				select {
				case <-over.Done():
					return
				case <-again:
				}
			}
		})
	}
	failed := 0
	for range 300 {
		for range 10 {
			select {
			case again <- struct{}{}:
			default: // that many wait already
			}
		}
		response, err := getInTime(d.url + "/api/v2/status")
		if err != nil {
			failed++
			t.Log(err)
			continue
		}
		if response.StatusCode != http.StatusOK {
			t.Errorf("status: %s", response.Status)
		}
		_ = response.Body.Close()
	}
	done()
	silent.Wait()
	if failed > 0 {
		t.Errorf("%d of 300 requests failed", failed)
	}
	d.command(t, "canister", "create")
}

// getInTime is a GET whose request was written within half of the time for which the daemon spares a silent connection.
// An error of a request that was written later is no error of the daemon. The time is taken around the system calls:
// between the hooks of an HTTP client and those a busy machine may do other things.
func getInTime(url string) (*http.Response, error) {
	const inTime = 10 * time.Millisecond
	for {
		var c *timedConn
		client := http.Client{Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, address string) (_ net.Conn, err error) {
				c = &timedConn{begun: time.Now()}
				c.Conn, err = new(net.Dialer).DialContext(ctx, network, address)
				return c, err
			},
		}}
		response, err := client.Get(url)
		if err == nil || c == nil || time.Unix(0, c.wrote.Load()).Sub(c.begun) < inTime {
			return response, err
		}
	}
}

// timedConn knows when a request was begun and written.
type timedConn struct {
	net.Conn
	begun time.Time
	wrote atomic.Int64 // ns since 1970
}

func (c *timedConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.wrote.Store(time.Now().UnixNano())
	return n, err
}
