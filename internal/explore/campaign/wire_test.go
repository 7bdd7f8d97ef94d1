package campaign_test

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/test/campaigntest"
)

// relay is a pool whose worker knows of jobs only what their bytes say, and whose results come as bytes.
type relay struct {
	t      *testing.T
	worker *campaign.Worker
	at     int // jobs at a time
}

func (p *relay) Run(b *campaign.Batch) error {
	if own := p.worker.Baseline(); own != b.Baseline {
		p.t.Errorf("the worker sees %s, and the exploration %s", own, b.Baseline)
	}
	for from := 0; from < b.Count; {
		var jobs []campaign.Job
		end := min(b.Ready(from), from+p.at)
		for number := from; number < end; number++ {
			jobs = append(jobs, b.Job(number))
		}
		record, err := campaign.AppendJobs(nil, jobs)
		if err != nil {
			return err
		}
		read, err := campaign.ReadJobs(record)
		if err != nil {
			return err
		}
		var results []campaign.Result
		for i := range read {
			results = append(results, p.worker.Do(&read[i]))
		}
		if record, err = campaign.AppendResults(nil, results); err != nil {
			return err
		}
		if results, err = b.ReadResults(record, jobs); err != nil {
			return err
		}
		for i := range results {
			if !b.Take(from+i, results[i]) {
				return nil
			}
		}
		from = end
	}
	return nil
}

func TestTheReportIsTheSameWhereJobsAndResultsAreBytes(t *testing.T) {
	t.Parallel()
	for _, withdrawals := range []int{2, 3} {
		c := theft(t, "bank", withdrawals)
		c.Runs, c.Faults = 400, 2
		want := campaigntest.Text(c, run(t, c))
		far := theft(t, "bank", withdrawals)
		far.Runs, far.Faults = 400, 2
		w, err := campaign.NewWorker(far)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		c = theft(t, "bank", withdrawals)
		c.Runs, c.Faults, c.Pool = 400, 2, &relay{t, w, 7}
		if got := campaigntest.Text(c, run(t, c)); got != want {
			t.Errorf("by bytes\n%s\nin one process\n%s", got, want)
		}
	}
}

// counting notes how many jobs may begin.
type counting struct {
	*relay
	ready []int
}

func (c *counting) Run(b *campaign.Batch) error {
	own := *b
	own.Ready = func(taken int) int {
		n := b.Ready(taken)
		if len(c.ready) == 0 || c.ready[len(c.ready)-1] != n {
			c.ready = append(c.ready, n)
		}
		return n
	}
	return c.relay.Run(&own)
}

func TestRunsAreDrawnInGenerationsOfWhichTwoMayBeUnderWay(t *testing.T) {
	c := theft(t, "careful", 2)
	w, err := campaign.NewWorker(c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	strategy := search.Default()
	pool := &counting{relay: &relay{t, w, 100}}
	c.Only, c.Runs, c.Pool = &strategy, 101, pool
	if r := run(t, c); r.Runs != 101 || !slices.Equal(pool.ready, []int{32, 64, 100}) {
		t.Errorf("%d runs are drawn, of which so many may begin: %v", r.Runs, pool.ready)
	}
}
