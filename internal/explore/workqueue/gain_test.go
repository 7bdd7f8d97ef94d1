package workqueue

import (
	"context"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// What is simulated: the time that the coordinator takes for the results of a run, which BenchmarkRatioExploreTwoWorkers
// measures as its share of the CPU time, and the time of a message between computers.
const (
	takenTime = 15 * time.Microsecond
	sentTime  = time.Millisecond
)

// runsPerWorker is how many runs are simulated for each of many workers.
const runsPerWorker = 50

// simulated is an exploration with workers that sleep in place of runs. The coordinator is the real one.
type simulated struct {
	workers, runs int
	each          time.Duration // that a run takes
}

// took returns how long the exploration takes, in the time of a bubble.
func (s simulated) took(t *testing.T) (took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := NewHub("1")
		q, err := h.Begin(t.Context(), &Campaign{Base: func(io.Writer) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range s.workers {
			m := newMember(h, 1)
			q.join(m)
			q.start(m)
			group.Go(func() { s.work(ctx, q, m) })
		}
		taken, begin := 0, time.Now()
		b := &campaign.Batch{
			Count: s.runs, Together: campaign.MaxJobs,
			Job:   func(int) campaign.Job { return campaign.Job{Part: new(search.Subtree)} },
			Ready: func(int) int { return s.runs },
			Take: func(int, campaign.Result) bool {
				taken++
				time.Sleep(takenTime)
				return true
			},
		}
		if err := q.Run(b); err != nil || taken != s.runs {
			t.Errorf("%d of %d runs were taken: %v", taken, s.runs, err)
		}
		took = time.Since(begin)
		end()
		q.Close()
		group.Wait()
	})
	return took
}

// work answers the assignments of a worker, each after the time that its runs take.
func (s simulated) work(ctx context.Context, q *Coordinator, m *member) {
	for {
		select {
		case <-ctx.Done():
			return
		case out := <-m.out:
			time.Sleep(sentTime) // in a bubble
			jobs, err := campaign.ReadJobs(out.GetAssignment().GetJobs())
			if err != nil {
				panic(err) // of a goroutine
			}
			record, err := campaign.AppendResults(nil, make([]campaign.Result, len(jobs)))
			if err != nil {
				panic(err)
			}
			worked := time.Duration(len(jobs)) * s.each
			time.Sleep(worked + sentTime) // in a bubble
			q.arrive(ctx, m, &arrival{number: out.GetAssignment().GetNumber(), record: record, took: worked})
		}
	}
}

// The gains are those of the table in docs/explore.md. The coordinator keeps each/takenTime workers busy.
func TestWorkersGainAsMuchAsTheCoordinatorLeavesThem(t *testing.T) {
	for _, c := range []struct {
		each    time.Duration
		workers int
		gain    float64 // at least
	}{
		{150 * time.Microsecond, 2, 1.8},
		{150 * time.Microsecond, 10, 5},
		{150 * time.Microsecond, 100, 9},
		{150 * time.Microsecond, 1000, 9},
		{time.Millisecond, 2, 1.9},
		{time.Millisecond, 10, 9},
		{time.Millisecond, 100, 50},
		{time.Millisecond, 1000, 55},
		{10 * time.Millisecond, 2, 1.9},
		{10 * time.Millisecond, 10, 9.5},
		{10 * time.Millisecond, 100, 90},
		{10 * time.Millisecond, 1000, 500},
	} {
		runs := max(5_000, runsPerWorker*c.workers)
		took := simulated{c.workers, runs, c.each}.took(t)
		gain := float64(time.Duration(runs)*c.each) / float64(took)
		t.Logf("runs of %s, %d workers: %.1f times as fast", c.each, c.workers, gain)
		if gain < c.gain {
			t.Errorf("%d workers are %.1f times as fast with runs of %s, want at least %.1f", c.workers, gain, c.each, c.gain)
		}
	}
}
