package metrics

import (
	"bytes"
	"net/http"
	"strconv"

	"github.com/prometheus/common/expfmt"
)

// ServeHTTP answers a scrape, in the format that the client prefers.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case m.scrapes <- struct{}{}:
		defer func() { <-m.scrapes }()
	default:
		http.Error(w, "too many scrapes at once: scrape less often, or from fewer places", http.StatusServiceUnavailable)
		return
	}
	format := expfmt.NegotiateAccept(r.Header, expfmt.DefaultOpenMetricsAcceptedFormats()...)
	body, err := m.encode(format)
	if err != nil {
		http.Error(w, "reading the metrics: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", string(format))
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that is gone misses it
	}
}

// encode makes the answer whole: an error must not end it in the middle.
func (m *Metrics) encode(format expfmt.Format) ([]byte, error) {
	gathered, err := m.registry.Gather()
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	encoder := expfmt.NewEncoder(&body, format)
	for _, f := range gathered {
		if err := encoder.Encode(f); err != nil {
			return nil, err
		}
	}
	if end, is := encoder.(expfmt.Closer); is {
		err = end.Close()
	}
	return body.Bytes(), err
}
