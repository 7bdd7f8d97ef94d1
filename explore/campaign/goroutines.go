package campaign

import "sync"

// goroutines are a pool of this process: workers beside each other.
type goroutines struct{ workers []*Worker }

// newGoroutines makes a number of workers of one.
func newGoroutines(w *Worker, count int) *goroutines {
	g := &goroutines{}
	for range count {
		g.workers = append(g.workers, w.Fork())
	}
	return g
}

// close frees the workers.
func (g *goroutines) close() {
	for _, w := range g.workers {
		w.Close()
	}
}

// done is the results of a range of jobs.
type done struct {
	first   int
	results []Result
}

// Run runs a batch. Workers take ranges of jobs. They are at most so far ahead of the last result that was taken that
// results take little memory.
func (g *goroutines) Run(b *Batch) error {
	size := max(1, min(b.Together, (b.Count+len(g.workers)-1)/len(g.workers)))
	window := size * max(2*len(g.workers), ahead/size)
	ranges, results := make(chan int, window/size), make(chan done, window/size)
	var group sync.WaitGroup
	for _, w := range g.workers {
		group.Go(func() {
			for first := range ranges {
				jobs := make([]Job, min(size, b.Count-first))
				for i := range jobs {
					jobs[i] = b.Job(first + i)
				}
				results <- done{first, w.DoAll(jobs)}
			}
		})
	}
	defer group.Wait()
	defer close(ranges)
	early := make(map[int][]Result)
	for begun, next := 0, 0; next < b.Count; {
		for ; begun < min(b.Count, next+window); begun += size {
			ranges <- begun
		}
		d := <-results
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
func drain(ranges chan int) {
	for {
		select {
		case <-ranges:
		default:
			return
		}
	}
}
