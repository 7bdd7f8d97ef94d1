//go:build clients && unix

package e2e

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
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
	done := make(chan struct{})
	var silent sync.WaitGroup
	for range 150 {
		silent.Go(func() {
			for {
				if c, err := net.Dial("tcp", u.Host); err == nil {
					_ = c.SetReadDeadline(time.Now().Add(250 * time.Millisecond))
					_, _ = c.Read(make([]byte, 1)) // until it is closed for another
					_ = c.Close()
				}
				select {
				case <-done:
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	failed := 0
	for range 300 {
		response, err := getInTime(&client, d.url+"/api/v2/status")
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
	close(done)
	silent.Wait()
	if failed > 0 {
		t.Errorf("%d of 300 requests failed", failed)
	}
	d.command(t, "canister", "create")
}

// getInTime is a GET whose request was written within half of the time for which the daemon spares a silent connection.
// An error of a request that was written later is no error of the daemon.
func getInTime(client *http.Client, url string) (*http.Response, error) {
	const inTime = 10 * time.Millisecond
	for {
		var connected, written time.Time
		trace := httptrace.ClientTrace{
			ConnectDone:  func(string, string, error) { connected = time.Now() },
			WroteRequest: func(httptrace.WroteRequestInfo) { written = time.Now() },
		}
		request, err := http.NewRequestWithContext(httptrace.WithClientTrace(context.Background(), &trace), http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		response, err := client.Do(request)
		if late := written.Sub(connected) >= inTime; err == nil || written.IsZero() || !late {
			return response, err
		}
	}
}
