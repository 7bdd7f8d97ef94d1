package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
)

// innocentText counts its updates and tells the number, as a canister that does nothing wrong.
const innocentText = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(memory 1)
	(func $answer (call $append (i32.const 0) (i32.const 8)) (call $reply))
	(func (export "canister_update inc")
		(i64.store (i32.const 0) (i64.add (i64.load (i32.const 0)) (i64.const 1)))
		(call $answer))
	(func (export "canister_query get") (call $answer)))`

// innocent is a canister whose answers are measured.
type innocent struct {
	url      string // of its instance
	canister principal.Principal
	http     *http.Client
	identity *identity
	nonces   *atomic.Uint64
}

// kinds are what is asked of an innocent canister.
var kinds = []struct{ path, kind, method string }{
	{"/api/v4/canister/%s/call", "call", "inc"},
	{"/api/v3/canister/%s/query", "query", "get"},
}

// series is the latencies of requests of one kind in one phase.
type series struct {
	mu        sync.Mutex // guards what follows
	latencies []time.Duration
	failed    int
	failure   error // the first
}

func (s *series) add(latency time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latencies = append(s.latencies, latency)
	if err != nil {
		s.failed++
		if s.failure == nil {
			s.failure = err
		}
	}
}

// percentile is the latency that a percentage of requests do not exceed.
func (s *series) percentile(p int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.latencies) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s.latencies))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}

// latency is what one phase measured of an innocent canister: the slower of its kinds of
// requests.
type latency struct {
	P50      time.Duration `json:"p50_ns"`
	P99      time.Duration `json:"p99_ns"`
	Requests int           `json:"requests"`
	Failed   int           `json:"failed"`
	failure  error
}

// observe sends requests of every kind at fixed times until ctx ends, and waits for their
// answers.
func (i *innocent) observe(ctx context.Context) latency {
	all := make([]series, len(kinds))
	var running sync.WaitGroup
	for k := range kinds {
		running.Go(func() { i.repeat(ctx, k, &all[k]) })
	}
	running.Wait()
	var l latency
	for k := range all {
		l.P50, l.P99 = max(l.P50, all[k].percentile(50)), max(l.P99, all[k].percentile(99))
		l.Requests += len(all[k].latencies)
		l.Failed += all[k].failed
		if l.failure == nil {
			l.failure = all[k].failure
		}
	}
	return l
}

// The load of an innocent canister: light enough for any machine, and enough requests for a p99.
const (
	// interval is the time between two requests of a kind.
	interval = 40 * time.Millisecond
	// maxInFlight is how many requests of a kind are in flight.
	maxInFlight = 32
	// requestTimeout bounds every request of the suite.
	requestTimeout = 30 * time.Second
)

// repeat sends a request each interval. Where the answers are late, maxInFlight are under
// way, and the latency of those that had to wait counts from when they were due.
func (i *innocent) repeat(ctx context.Context, kind int, into *series) {
	flight := make(chan struct{}, maxInFlight)
	var running sync.WaitGroup
	defer running.Wait()
	due := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(due)):
		}
		select {
		case <-ctx.Done():
			return
		case flight <- struct{}{}:
		}
		since := due
		running.Go(func() {
			defer func() { <-flight }()
			err := i.ask(kind)
			into.add(time.Since(since), err)
		})
		due = due.Add(interval)
	}
}

// ask sends one signed request and checks that it was replied to.
func (i *innocent) ask(kind int) error {
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	k := &kinds[kind]
	body := i.identity.request(k.kind, i.canister, k.method, nil, i.nonces.Add(1))
	status, answer, err := post(ctx, i.http, i.url+fmt.Sprintf(k.path, i.canister), body)
	if err != nil {
		return err
	}
	if status != http.StatusOK || !bytes.Contains(answer, []byte("replied")) {
		return fmt.Errorf("%s: HTTP status %d, %.200q", k.method, status, answer)
	}
	return nil
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 8 << 20

// post sends a request of the HTTP interface and reads the answer.
func post(ctx context.Context, client *http.Client, url string, body []byte) (status int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/cbor")
	response, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return response.StatusCode, answer, err
}

// newHTTPClient is a client with connections of its own, which are used once where fresh is set.
func newHTTPClient(fresh bool) *http.Client {
	return &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: maxInFlight * len(kinds), DisableKeepAlives: fresh, DisableCompression: true,
	}}
}
