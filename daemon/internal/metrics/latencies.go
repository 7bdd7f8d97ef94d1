package metrics

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Endpoint is a group of HTTP requests that take about the same time.
type Endpoint uint8

// The endpoints.
const (
	Call      Endpoint = iota // waits for the answer
	CallAsync                 // does not
	Query
	ReadState
	Status
	Gateway  // pages of canisters, and everything else
	PocketIC // PocketIC's interface
	endpoints
)

var endpointNames = [endpoints]string{"call", "call_async", "query", "read_state", "status", "gateway", "pocketic"}

// statusClasses are the values of the label code.
var statusClasses = [...]string{"other", "1xx", "2xx", "3xx", "4xx", "5xx"}

// latencyBounds are the upper bounds of the buckets of latencies, in seconds: a query takes less than the first few, a
// call that waits for its answer up to the last.
func latencyBounds() []float64 {
	return []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}
}

// latency is the histogram of one combination of labels. It is made when it is first needed, so that only what was
// requested is shown; afterwards it is found without a lock.
type latency struct {
	made atomic.Pointer[prometheus.Observer]
}

// observe counts a request; false if the histogram is still to be made.
func (l *latency) observe(took time.Duration) bool {
	made := l.made.Load()
	if made != nil {
		(*made).Observe(took.Seconds())
	}
	return made != nil
}

// begin makes the histogram, with the first request.
func (l *latency) begin(histogram prometheus.Observer, took time.Duration) {
	histogram.Observe(took.Seconds())
	l.made.Store(&histogram)
}

// vectorOf is the histogram of a metric of the table.
func vectorOf(of family) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: table[of].Name, Help: table[of].Help, Buckets: latencyBounds()}, table[of].Labels)
}

type httpLatencies struct {
	vector *prometheus.HistogramVec
	of     [endpoints][len(statusClasses)]latency
}

func (l *httpLatencies) init() { l.vector = vectorOf(httpDuration) }

// ObserveHTTP counts an HTTP request with the status of its answer.
func (m *Metrics) ObserveHTTP(endpoint Endpoint, status int, took time.Duration) {
	class := status / 100
	if class < 1 || class >= len(statusClasses) {
		class = 0
	}
	if of := &m.http.of[endpoint][class]; !of.observe(took) {
		of.begin(m.http.vector.WithLabelValues(endpointNames[endpoint], statusClasses[class]), took)
	}
}

type controlLatencies struct {
	vector *prometheus.HistogramVec
	// of are the latencies by method: of those that answer, and of those that fail. The map is replaced, never changed.
	of atomic.Pointer[map[string]*[2]latency]
	mu sync.Mutex // held while the map is replaced
}

func (l *controlLatencies) init() {
	l.vector = vectorOf(controlDuration)
	l.of.Store(new(map[string]*[2]latency))
}

// method finds the latencies of a method. The server has a fixed number of methods.
func (l *controlLatencies) method(name string) *[2]latency {
	if found := (*l.of.Load())[name]; found != nil {
		return found
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := maps.Clone(*l.of.Load())
	if found := all[name]; found != nil {
		return found
	}
	if all == nil {
		all = make(map[string]*[2]latency)
	}
	all[name] = new([2]latency)
	l.of.Store(&all)
	return all[name]
}

// ObserveControl counts an RPC of the control API.
func (m *Metrics) ObserveControl(method string, failed bool, took time.Duration) {
	of, outcome := &m.control.method(method)[0], "ok"
	if failed {
		of, outcome = &m.control.method(method)[1], "error"
	}
	if !of.observe(took) {
		of.begin(m.control.vector.WithLabelValues(method, outcome), took)
	}
}
