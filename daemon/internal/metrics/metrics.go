package metrics

import (
	"context"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
)

// Sources are where the metrics of the daemon come from. The functions are called at each scrape, by any goroutine.
type Sources struct {
	Version     string
	Engines     func() canister.EngineStatistics
	Journals    func() journal.Counts
	Connections func() (open, most int)
	Budgets     []Budget
	Spans       func() Spans // nil: no spans are sent
}

// Budget is a memory budget with its name.
type Budget struct {
	Name string
	*budget.Budget
}

// Spans are what became of spans.
type Spans struct {
	Sent, Rejected, Dropped uint64
	Missed                  uint64 // events of which no spans were made
	Queued                  int
}

// Metrics are the metrics of a daemon. Safe for concurrent use.
type Metrics struct {
	registry     *prometheus.Registry
	sources      Sources
	descriptions [families]*prometheus.Desc
	http         httpLatencies
	control      controlLatencies
	scrapes      chan struct{} // has a value for each scrape under way

	mu       sync.Mutex // guards what follows
	known    map[*instance.Instance]*sample
	labelled int    // instances with a label of their own
	ended    sample // counts of instances without one that have ended
}

// sample is what was last read of an instance.
type sample struct {
	label string // otherInstances for those without one of their own
	last  replica.Statistics
}

// otherInstances is the label of instances, and of their subnets, that have none of their own. It is not the name of an
// instance: names begin with a letter.
const otherInstances = "_other"

// New makes the metrics of a daemon without instances.
func New(sources Sources) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(), sources: sources, descriptions: descriptions(),
		scrapes: make(chan struct{}, maxScrapes), known: make(map[*instance.Instance]*sample), ended: sample{label: otherInstances},
	}
	m.http.init()
	m.control.init()
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), m, m.http.vector, m.control.vector,
	)
	return m
}

// Begin shows an instance from now on.
func (m *Metrics) Begin(i *instance.Instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	label := otherInstances
	if i.About().Lease == "" && m.labelled < maxLabelled {
		label = i.Name()
		m.labelled++
	}
	m.known[i] = &sample{label: label}
}

// End shows an instance no longer. Its counts stay if it had no label of its own. Its node must not be closed yet.
func (m *Metrics) End(i *instance.Instance) {
	if m.endLabelled(i) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	last, read := readStatistics(ctx, i)
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.known[i]
	if s == nil {
		return
	}
	delete(m.known, i)
	if read {
		s.last = last
	}
	addCounts(&m.ended.last, &s.last)
}

// endLabelled is End for an instance with a label of its own; it returns false for others.
func (m *Metrics) endLabelled(i *instance.Instance) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.known[i]
	if s == nil || s.label == otherInstances {
		return false
	}
	delete(m.known, i)
	m.labelled--
	return true
}

// readStatistics reads the statistics of an instance; false if it was too busy, or is closed.
func readStatistics(ctx context.Context, i *instance.Instance) (replica.Statistics, bool) {
	found := make(chan replica.Statistics, 1)
	if err := i.Driver().Read(ctx, func(n *replica.Network) { found <- n.Statistics() }); err != nil {
		return replica.Statistics{}, false
	}
	return <-found, true
}

// readAll reads all instances again. It gives how many could not be read.
func (m *Metrics) readAll() (unread int) {
	m.mu.Lock()
	waiting := make(chan *instance.Instance, len(m.known))
	for i := range m.known {
		waiting <- i
	}
	m.mu.Unlock()
	close(waiting)
	ctx, cancel := context.WithTimeout(context.Background(), readPatience)
	defer cancel()
	var readers sync.WaitGroup
	for range min(len(waiting), maxReaders) {
		readers.Go(func() {
			for i := range waiting {
				last, read := readStatistics(ctx, i)
				m.mu.Lock()
				if s := m.known[i]; s != nil && read {
					s.last = last
				} else if s != nil {
					unread++
				}
				m.mu.Unlock()
			}
		})
	}
	readers.Wait()
	return unread
}
