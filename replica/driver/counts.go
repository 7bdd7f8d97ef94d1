package driver

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
)

// counter collects the statistics of queries until the next round, one entry for each canister.
type counter struct {
	counted atomic.Bool // stats is not empty; changed with mu held
	mu      sync.Mutex  // guards stats
	stats   map[principal.Principal]*canister.QueryStats
}

// add counts a query and its nested calls.
func (c *counter) add(r *replica.QueryResult) {
	if r.Count.Calls == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(&r.Count)
	for i := range r.Nested {
		c.count(&r.Nested[i])
	}
}

func (c *counter) count(q *replica.QueryCount) {
	if s := c.stats[q.Canister]; s != nil {
		s.Add(&q.QueryStats)
		return
	}
	if c.stats == nil {
		c.stats = make(map[principal.Principal]*canister.QueryStats)
		c.counted.Store(true)
	}
	stats := q.QueryStats
	c.stats[q.Canister] = &stats
}

// drain removes and returns the collected statistics, ordered by canister.
func (c *counter) drain() replica.QueryCounts {
	c.mu.Lock()
	stats := c.stats
	c.stats = nil
	c.counted.Store(false)
	c.mu.Unlock()
	if len(stats) == 0 {
		return nil
	}
	counts := make(replica.QueryCounts, 0, len(stats))
	for _, id := range slices.SortedFunc(maps.Keys(stats), principal.Principal.Compare) {
		counts = append(counts, replica.QueryCount{Canister: id, QueryStats: *stats[id]})
	}
	return counts
}
