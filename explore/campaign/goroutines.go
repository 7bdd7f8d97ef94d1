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

// done is the result of a job.
type done struct {
	number int
	result Result
}

// Run runs a batch. Workers are at most so many jobs ahead of the last result that was taken that results take little
// memory.
func (g *goroutines) Run(b *Batch) error {
	numbers, results := make(chan int, ahead), make(chan done, ahead)
	var group sync.WaitGroup
	for _, w := range g.workers {
		group.Go(func() {
			for number := range numbers {
				job := b.Job(number)
				results <- done{number, w.Do(&job)}
			}
		})
	}
	defer group.Wait()
	defer close(numbers)
	early := make(map[int]Result)
	for begun, next := 0, 0; next < b.Count; {
		for ; begun < min(b.Count, next+ahead); begun++ {
			numbers <- begun
		}
		d := <-results
		early[d.number] = d.result
		for r, known := early[next]; known; r, known = early[next] {
			delete(early, next)
			if !b.Take(next, r) {
				drain(numbers)
				return nil
			}
			next++
		}
	}
	return nil
}

// drain takes back the jobs that no worker has begun.
func drain(numbers chan int) {
	for {
		select {
		case <-numbers:
		default:
			return
		}
	}
}
