package campaign

import (
	"sync"

	"github.com/canisterd/canisterd/internal/contain"
)

// goroutines is a pool of concurrent workers in this process.
type goroutines struct{ workers []*Worker }

// newGoroutines returns a pool with forks of a worker.
func newGoroutines(w *Worker, count int) *goroutines {
	g := &goroutines{}
	for range count {
		g.workers = append(g.workers, w.Fork())
	}
	return g
}

// close frees the forks.
func (g *goroutines) close() {
	for _, w := range g.workers {
		contain.Do(w.Close, func(error) {}) // of a run that has failed: that error was reported
	}
}

// share returns how many of some jobs each worker gets.
func (g *goroutines) share(count int) int { return (count + len(g.workers) - 1) / len(g.workers) }

// jobRange is a range of consecutive jobs.
type jobRange struct{ first, end int }

// done has the results of a range of jobs, or the panic in one of them.
type done struct {
	first   int
	results []Result
	err     error
}

// Run runs a batch. Workers take ranges of jobs. How far they may run ahead of the last result taken is bounded, so that
// waiting results take little memory. A panic in a job is the error.
func (g *goroutines) Run(b *Batch) error {
	size := max(1, min(b.Together, g.share(b.Count)))
	most := max(2*len(g.workers), ahead/size) // ranges that wait, are run, or have results that wait
	ranges, results := make(chan jobRange, most), make(chan done, most)
	var group sync.WaitGroup
	for _, w := range g.workers {
		group.Go(func() {
			for r := range ranges {
				jobs := make([]Job, r.end-r.first)
				for i := range jobs {
					jobs[i] = b.Job(r.first + i)
				}
				d := done{first: r.first}
				d.err = contain.Run(func() error {
					d.results = w.DoAll(jobs)
					return nil
				})
				results <- d
			}
		})
	}
	defer group.Wait()
	defer close(ranges)
	early := make(map[int][]Result)
	for begun, next, open := 0, 0, 0; next < b.Count; open-- {
		limit := min(b.Ready(next), next+size*most)
		for ; begun < limit && open < most; open++ {
			r := jobRange{begun, begun + min(size, g.share(limit-begun))}
			ranges <- r
			begun = r.end
		}
		d := <-results
		if d.err != nil {
			drain(ranges)
			return d.err
		}
		early[d.first] = d.results
		for all, known := early[next]; known; all, known = early[next] {
			delete(early, next)
			for i := range all {
				if !b.Take(next+i, all[i]) {
					drain(ranges)
					return nil
				}
			}
			next += len(all)
		}
	}
	return nil
}

// drain takes back the ranges that no worker has begun.
func drain(ranges chan jobRange) {
	for {
		select {
		case <-ranges:
		default:
			return
		}
	}
}
