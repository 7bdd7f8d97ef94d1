package client

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
)

// replica answers every request.
type replica func(*http.Request) *http.Response

func (r replica) RoundTrip(req *http.Request) (*http.Response, error) { return r(req), nil }

func answers(code int, body io.Reader) *http.Response {
	return &http.Response{StatusCode: code, Body: io.NopCloser(body)}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestAnAnswerHas16MiBAtMost(t *testing.T) {
	for size, want := range map[int64]string{16_777_216: "", 16_777_217: "the replica's answer has more than 16777216 bytes"} {
		c := &Client{http: &http.Client{Transport: replica(func(*http.Request) *http.Response {
			return answers(http.StatusOK, io.LimitReader(zeros{}, size))
		})}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://replica/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if _, body, err := c.do(req); want == "" && (err != nil || len(body) != 16_777_216) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("of %d bytes %d are read: %v", size, len(body), err)
		}
	}
}

func TestARequestExpiresInFourMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		draft := wire.NewCall(principal.Canister(1), "greet", nil)
		if _, err := new(Client).sign(draft); err != nil {
			t.Fatal(err)
		}
		if left := draft.IngressExpiry - uint64(time.Now().UnixNano()); left != 240_000_000_000 {
			t.Errorf("%d ns are left", left)
		}
	})
}

func TestACertificateMayBeFiveMinutesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := uint64(time.Now().UnixNano())
		const most = 300_000_000_000
		for _, at := range []uint64{now, now - most, now + most} {
			if err := checkAge(at); err != nil {
				t.Error(err)
			}
		}
		for _, at := range []uint64{now - most - 1, now + most + 1} {
			if err := checkAge(at); err == nil || !strings.Contains(err.Error(), "at most 5m0s is allowed") {
				t.Errorf("a nanosecond more: %v", err)
			}
		}
	})
}

func TestARequestToAFullDaemonIsSentSixTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent, began := 0, time.Now()
		c := &Client{address: "http://replica", http: &http.Client{Transport: replica(func(*http.Request) *http.Response {
			sent++
			return answers(http.StatusServiceUnavailable, strings.NewReader("full"))
		})}}
		_, _, err := c.post(t.Context(), "/", wire.Signed{})
		// The pauses are 20, 40, 80, 160 and 320 ms.
		if took := time.Since(began); err == nil || sent != 6 || took != 620*time.Millisecond {
			t.Errorf("sent %d times in %s: %v", sent, took, err)
		}
	})
}

// A request whose connection is lost is sent again as it is, so that the replica executes it once.
func TestALostConnectionIsTriedAgainWithTheSameRequest(t *testing.T) {
	for _, c := range []struct {
		fails, sent int
		took        time.Duration
		want        string
	}{
		{fails: 3, sent: 4, took: 1750 * time.Millisecond},
		{fails: 100, sent: 9, took: 47750 * time.Millisecond, want: "reset"}, // 0.25, 0.5, 1, 2, 4, 8, 16, 16 s
	} {
		synctest.Test(t, func(t *testing.T) {
			sent, told, began := 0, 0, time.Now()
			client := &Client{address: "http://replica", http: &http.Client{Transport: broken(func(req *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(req.Body)
				if sent++; err != nil || string(body) != "the request" {
					t.Errorf("sent %q (%v)", body, err)
				}
				if sent <= c.fails {
					return nil, errors.New("connection reset by peer")
				}
				return answers(http.StatusOK, strings.NewReader("fine")), nil
			})}}
			if err := WithRetries(func(error) { told++ })(client); err != nil || client.http.Timeout != 2*time.Minute {
				t.Fatalf("an attempt may take %s (%v)", client.http.Timeout, err)
			}
			_, body, err := client.post(t.Context(), "/", wire.Signed{Body: []byte("the request")})
			if c.want == "" && (err != nil || string(body) != "fine") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%d lost: %q, %v", c.fails, body, err)
			}
			if took := time.Since(began); sent != c.sent || told != c.sent-1 || took != c.took {
				t.Errorf("sent %d times and told %d in %s, want %d in %s", sent, told, took, c.sent, c.took)
			}
		})
	}
}

type broken func(*http.Request) (*http.Response, error)

func (b broken) RoundTrip(req *http.Request) (*http.Response, error) { return b(req) }

func TestAClientWithoutRetriesTellsALostConnection(t *testing.T) {
	sent := 0
	c := &Client{address: "http://replica", http: &http.Client{Transport: broken(func(*http.Request) (*http.Response, error) {
		sent++
		return nil, errors.New("connection reset by peer")
	})}}
	if _, _, err := c.post(t.Context(), "/", wire.Signed{}); err == nil || sent != 1 {
		t.Errorf("sent %d times: %v", sent, err)
	}
}

// A source that was restarted refuses connections for a moment, but an address that never had one is more likely wrong.
func TestAnAddressWithoutAConnectionIsTriedAgainOnlyAfterAResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent, up := 0, false
		c := &Client{address: "http://replica", http: &http.Client{Transport: broken(func(*http.Request) (*http.Response, error) {
			sent++
			if up {
				return answers(http.StatusOK, strings.NewReader("fine")), nil
			}
			return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		})}}
		if err := WithRetries(nil)(c); err != nil {
			t.Fatal(err)
		}
		post := func(serves bool, sends int) {
			t.Helper()
			sent, up = 0, serves
			if _, _, err := c.post(t.Context(), "/", wire.Signed{}); sent != sends || (err == nil) != serves {
				t.Errorf("sent %d times, want %d: %v", sent, sends, err)
			}
		}
		post(false, 1)
		post(true, 1)
		post(false, 9)
	})
}
