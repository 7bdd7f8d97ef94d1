package campaign

// inline is a pool of one worker that runs its jobs on the goroutine that called Run: a case is a job of a worker, and has
// jobs of its own.
type inline struct{ worker *Worker }

// Run runs a batch.
func (p inline) Run(b *Batch) error {
	for next := 0; next < b.Count; {
		jobs := make([]Job, min(max(1, b.Together), b.Ready(next)-next))
		for i := range jobs {
			jobs[i] = b.Job(next + i)
		}
		for _, r := range p.worker.DoAll(jobs) {
			if !b.Take(next, r) {
				return nil
			}
			next++
		}
	}
	return nil
}
