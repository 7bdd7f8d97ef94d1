package driver

import (
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica"
)

// Pool runs the jobs of a batch on several goroutines: the caller's and some helpers. It is a replica.Runner.
type Pool struct {
	own       replica.Coroutines
	wake      chan struct{}
	helpers   int // at most
	helping   int // that exist: they start when first needed, and stay
	stopwatch func() int64
	jobs      []*replica.Job
	next      atomic.Int64
	batch     sync.WaitGroup
	bug       atomic.Pointer[error]
	ended     sync.WaitGroup
	// processors bound how many jobs run at once, together with other pools; nil: only the workers do. used is what the
	// jobs of this pool used of them.
	processors *Processors
	used       usage
}

// NewPool makes a pool of this many workers, at least one, which measure messages with a stopwatch for events; nil: no
// measurement.
func NewPool(workers int, stopwatch func() int64) *Pool {
	p := &Pool{helpers: max(workers, 1) - 1, stopwatch: stopwatch}
	p.own.Stopwatch = stopwatch
	p.wake = make(chan struct{}, p.helpers)
	return p
}

// Run runs each job to its end or to the end of its slice.
func (p *Pool) Run(jobs []*replica.Job) {
	helpers := min(p.helpers, len(jobs)-1)
	if helpers == 0 {
		for _, job := range jobs {
			p.runOne(&p.own, job)
		}
		return
	}
	p.jobs = jobs
	p.next.Store(0)
	p.batch.Add(helpers)
	for ; p.helping < helpers; p.helping++ {
		p.ended.Go(p.help)
	}
	for range helpers {
		p.wake <- struct{}{}
	}
	p.share(&p.own) // the helpers must have ended, too, before a bug of this goroutine closes the network
	p.batch.Wait()
	p.jobs = nil
	if bug := p.bug.Swap(nil); bug != nil {
		panic(*bug)
	}
}

func (p *Pool) work(coroutines *replica.Coroutines) {
	for {
		i := int(p.next.Add(1)) - 1
		if i >= len(p.jobs) {
			return
		}
		p.runOne(coroutines, p.jobs[i])
	}
}

// runOne runs one job when the processors have room for it.
func (p *Pool) runOne(coroutines *replica.Coroutines, job *replica.Job) {
	if p.processors == nil {
		coroutines.RunOne(job)
		return
	}
	begun := p.processors.acquire(&p.used)
	defer p.processors.release(&p.used, begun)
	coroutines.RunOne(job)
}

func (p *Pool) help() {
	coroutines := replica.Coroutines{Stopwatch: p.stopwatch}
	defer coroutines.Close()
	for range p.wake {
		p.share(&coroutines)
		p.batch.Done()
	}
}

// share runs jobs of a batch. A bug of a job is a bug of the batch: Run panics with it on the goroutine that owns the
// network.
func (p *Pool) share(coroutines *replica.Coroutines) {
	contain.Do(func() { p.work(coroutines) }, func(err error) { p.bug.Store(&err) })
}

// Close ends the helpers. No job may be running; parked ones must have been abandoned.
func (p *Pool) Close() {
	close(p.wake)
	p.ended.Wait()
	p.own.Close()
}
