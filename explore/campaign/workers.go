package campaign

import (
	"sync"

	"github.com/canisterd/canisterd/explore/harness"
)

// workers run jobs beside each other, each on a harness of its own.
type workers struct{ harnesses []*harness.Harness }

// newWorkers makes a number of workers with forks of a harness.
func newWorkers(l *harness.Harness, count int) *workers {
	w := &workers{}
	for range count {
		w.harnesses = append(w.harnesses, l.Fork())
	}
	return w
}

// close frees the harnesses.
func (w *workers) close() {
	for _, l := range w.harnesses {
		l.Close()
	}
}

// each runs jobs 0 to count-1 and returns when all are done. A job must not depend on the worker that runs it.
func (w *workers) each(count int, job func(l *harness.Harness, number int)) {
	var (
		group sync.WaitGroup
		mu    sync.Mutex // guards next
		next  int
	)
	for _, l := range w.harnesses {
		group.Go(func() {
			for {
				mu.Lock()
				number := next
				next++
				mu.Unlock()
				if number >= count {
					return
				}
				job(l, number)
			}
		})
	}
	group.Wait()
}
