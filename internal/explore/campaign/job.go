package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// Job is an independent part of an exploration: one run, or all classes of a subtree. Every worker gets the same
// result.
type Job struct {
	Plan harness.Plan
	// Follow is how the run deviates from FIFO, if Chance and Part are nil.
	Follow []search.Before
	// Chance is the generator from which the strategy of the exploration draws the order of the run.
	Chance *rand.PCG
	// Begin are the names of the first messages of such a run, as far as they come.
	Begin []string
	// Part are the orders whose classes are run, at most Most of them.
	Part *search.Subtree
	Most int
	// Case makes the job a case of drawn arguments and calls. Then nothing else is set.
	Case *CaseJob
}

// Result is the result of a job.
type Result struct {
	outcomes []outcome // one of a run
	finished bool      // all classes of Part were run
	// replied are the positions of the calls before a case that were replied to, and ran the blocks that these calls ran.
	replied []int
	ran     []*harness.Blocks
}

// Batch has some jobs of an exploration.
type Batch struct {
	Count int
	// Job returns the job with a number, 0 to Count-1. It is called on any goroutine.
	Job func(number int) Job
	// Take is called with the results in job order, on the goroutine that called Run. If it returns false, the batch ends,
	// and the results of later jobs are lost.
	Take func(number int, r Result) bool
	// Ready returns how many jobs may begin after the results of a number of jobs were taken: the others depend on more
	// results. It is more than that number until all jobs may begin. It is called on the goroutine that called Run.
	Ready func(taken int) int
	// Together is the maximum number of jobs that a worker runs at a time. It delivers their common first messages once.
	Together int
	// Baseline is the Worker.Baseline of workers with the same base and operations as the exploration.
	Baseline string

	config *Config
}

// Pool runs jobs concurrently and in any order.
type Pool interface {
	// Run runs a batch. The error says why results are missing.
	Run(b *Batch) error
}

// PoolError is the error of a Pool: the exploration ended without a report.
type PoolError struct{ Err error }

// Error returns why results are missing.
func (e *PoolError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the pool.
func (e *PoolError) Unwrap() error { return e.Err }

// Worker runs jobs, one after the other. It belongs to one goroutine.
type Worker struct {
	baseline *baseline
	harness  *harness.Harness
	cases    *caseRunner // runs jobs with a Case, and the rest is nil; nil: there are none
}

// NewWorker returns a worker for the jobs of an exploration, which may be of another process. The error says which
// operation the network did not accept. The caller closes the worker.
func NewWorker(config *Config) (*Worker, error) {
	if config.Drawn != nil {
		return newCaseWorker(config)
	}
	if len(config.Setup.Operations) == 0 {
		return nil, fmt.Errorf("no operations: an exploration needs at least one message to deliver")
	}
	if n := len(config.Setup.Operations); n > maxOperations {
		return nil, fmt.Errorf("%d operations: an exploration has at most %d", n, maxOperations)
	}
	full, all := config.withDefaults(), make([]int, len(config.Setup.Operations))
	for i := range all {
		all[i] = i
	}
	b, l, err := newBaseline(&full, all)
	if err != nil {
		return nil, err
	}
	return &Worker{baseline: b, harness: l}, nil
}

// Fork returns a second worker for another goroutine, which closes it.
func (w *Worker) Fork() *Worker {
	if w.cases != nil {
		return &Worker{cases: w.cases.fork()}
	}
	return &Worker{baseline: w.baseline, harness: w.harness.Fork()}
}

// Close frees the worker.
func (w *Worker) Close() {
	if w.cases != nil {
		w.cases.close()
	}
	if w.harness != nil {
		w.harness.Close()
	}
}

// Baseline identifies the base and the messages in FIFO order. It is equal for workers that give the same results.
func (w *Worker) Baseline() string {
	if w.cases != nil {
		return w.cases.baseline()
	}
	base := w.baseline.config.Setup.Base.RootHash()
	sum := sha256.Sum256(fmt.Appendf(base[:], "%q", names(w.baseline.fifo)))
	return hex.EncodeToString(sum[:])
}

// Do runs a job.
func (w *Worker) Do(j *Job) Result { return w.DoAll([]Job{*j})[0] }

// DoAll runs jobs, and returns their results in the same order. Common first messages of their runs are delivered once.
func (w *Worker) DoAll(jobs []Job) []Result {
	results, runs, numbers := make([]Result, len(jobs)), []planned(nil), []int(nil)
	for i := range jobs {
		if j := &jobs[i]; j.Case != nil {
			results[i] = w.cases.run(j.Case)
		} else if j.Part != nil {
			results[i].outcomes, results[i].finished = w.baseline.classes(w.harness, j.Plan, *j.Part, j.Most)
		} else {
			runs, numbers = append(runs, planned{j.Plan, w.picker(j)}), append(numbers, i)
		}
	}
	for i, o := range w.baseline.each(w.harness, runs) {
		results[numbers[i]].outcomes = []outcome{o}
	}
	return results
}

// picker returns the picker for the run of a job.
func (w *Worker) picker(j *Job) search.Picker {
	if j.Chance == nil {
		return search.Follow(j.Follow)
	}
	chance := *j.Chance // the job stays as it is
	return search.Begun(j.Begin, w.baseline.config.strategy().Begin(rand.New(&chance), &w.baseline.profile))
}
