package canisterd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// outcalls configures HTTP outcalls.
type outcalls struct {
	transport http.RoundTripper // nil: they are rejected
}

// Handler returns a transport that passes requests to a handler in this process. The host of the request's URL tells
// the servers apart.
func Handler(h http.Handler) http.RoundTripper { return handlerTransport{h} }

type handlerTransport struct{ http.Handler }

// RoundTrip answers a request.
func (t handlerTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	w := &responseWriter{header: http.Header{}}
	t.ServeHTTP(w, request)
	w.WriteHeader(http.StatusOK) // unless the handler has set another
	return &http.Response{StatusCode: w.status, Header: w.sent, Body: io.NopCloser(&w.body), Request: request}, nil
}

// responseWriter records the response of a handler.
type responseWriter struct {
	header, sent http.Header
	status       int // 0: not set yet
	body         bytes.Buffer
}

// Header returns the header that is sent with the status.
func (w *responseWriter) Header() http.Header { return w.header }

// WriteHeader sends the status and the header; the first counts.
func (w *responseWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
	}
}

// Write sends a part of the body.
func (w *responseWriter) Write(part []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(part)
}

// front makes the outcalls of one instance. It serves nothing.
type front struct{ outcalls }

// Serve does nothing: the network is reached only by its methods.
func (front) Serve(context.Context, *instance.Instance, string) ([]string, error) { return nil, nil }

// Close does nothing.
func (front) Close() error { return nil }

// made identifies an outcall that is being made.
type made struct {
	generation, number uint64
	subnet             string
}

// MakeOutcalls makes outcalls until ctx ends.
func (f front) MakeOutcalls(ctx context.Context, i *instance.Instance) {
	var under sync.WaitGroup
	defer under.Wait()
	seen := map[made]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-i.Driver().OutcallsMade():
		}
		pending, err := i.Driver().Outcalls(ctx)
		if err != nil {
			return // the network has ended
		}
		present := map[made]bool{}
		for at := range pending {
			o := pending[at]
			id := made{o.Generation, o.Number, o.Subnet.String()}
			present[id] = true
			if !seen[id] {
				under.Go(func() { contain.Do(func() { f.answer(ctx, i, &o) }, i.Driver().Fail) })
			}
		}
		seen = present
	}
}

// answer makes one outcall. If it has timed out meanwhile, it takes no answer, which is not an error.
func (f front) answer(ctx context.Context, i *instance.Instance, o *driver.Outcall) {
	answer := f.fetch(ctx, &o.Request)
	answers := []replica.OutcallAnswer{answer}
	for range len(o.Request.Members) - 1 { // each node of a flexible outcall has its own answer
		answers = append(answers, answer)
	}
	_ = i.Driver().AnswerListed(ctx, o, answers...)
}

// fetch makes a request.
func (f front) fetch(ctx context.Context, q *replica.Outcall) replica.OutcallAnswer {
	if f.transport == nil {
		return failed("HTTP outcalls are rejected on this network: make it with canisterd.Outcalls")
	}
	request, err := http.NewRequestWithContext(ctx, q.Method, q.URL, bytes.NewReader(q.Body))
	if err != nil {
		return failed("%v", err)
	}
	for _, h := range q.Headers {
		request.Header.Add(h[0], h[1])
	}
	response, err := f.transport.RoundTrip(request)
	if err != nil {
		return failed("%v", err)
	}
	defer func() { _ = response.Body.Close() }() // everything needed was read
	limit := q.DownloadLimit()
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(limit)+1))
	switch {
	case err != nil:
		return failed("%v", err)
	case uint64(len(body)) > limit:
		return failed("Http body exceeds size limit of %d bytes.", limit)
	}
	answer := replica.OutcallAnswer{Status: uint16(response.StatusCode), Body: body}
	for name, values := range response.Header {
		for _, value := range values {
			answer.Headers = append(answer.Headers, [2]string{name, value})
		}
	}
	return answer
}

func failed(format string, args ...any) replica.OutcallAnswer {
	return replica.OutcallAnswer{Reject: &intercanister.Reject{Code: intercanister.SysTransient, Text: fmt.Sprintf(format, args...)}}
}
