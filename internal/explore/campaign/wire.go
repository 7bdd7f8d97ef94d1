package campaign

import (
	"fmt"
	"math/rand/v2"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// AppendJobs encodes jobs for workers of other processes.
func AppendJobs(dst []byte, jobs []Job) ([]byte, error) {
	return new(archive.Recorder).Append(dst, func(c *archive.Coder) { archiveJobs(c, &jobs) })
}

// ReadJobs reads what AppendJobs has written, which may be arbitrary bytes. What a job does to a worker is not checked.
func ReadJobs(record []byte) (jobs []Job, err error) {
	err = archive.ReadRecord(record, func(c *archive.Coder) { archiveJobs(c, &jobs) })
	return jobs, err
}

func archiveJobs(c *archive.Coder, jobs *[]Job) {
	archive.Slice(c, jobs, MaxJobs, func(j *Job) {
		archive.Slice(c, (*[]harness.Fault)(&j.Plan), maxMessages, func(f *harness.Fault) { archiveFault(c, f) })
		archive.Slice(c, &j.Follow, archive.MaxItems, func(b *search.Before) {
			archive.String(c, &b.First, archive.MaxBytes)
			archive.String(c, &b.Later, archive.MaxBytes)
		})
		archive.Slice(c, &j.Begin, maxMessages, func(name *string) { archive.String(c, name, archive.MaxBytes) })
		archive.Pointer(c, &j.Chance, func(p *rand.PCG) { archiveChance(c, p) })
		archive.Pointer(c, &j.Part, func(p *search.Subtree) { archiveSubtree(c, p) })
		archive.Number(c, &j.Most)
		archive.Pointer(c, &j.Case, func(k *CaseJob) { archiveCase(c, k) })
	})
}

func archiveCase(c *archive.Coder, k *CaseJob) {
	archive.Number(c, &k.Number)
	for _, calls := range []*[]CaseCall{&k.Begin, &k.Given} {
		archive.Slice(c, calls, archive.MaxItems, func(call *CaseCall) {
			archive.Number(c, &call.Template)
			c.Bytes(&call.Arg, archive.MaxBytes)
		})
	}
	archive.Slice(c, (*[]harness.Fault)(&k.Plan), maxMessages, func(f *harness.Fault) { archiveFault(c, f) })
	archive.Slice(c, &k.Messages, maxMessages, func(name *string) { archive.String(c, name, archive.MaxBytes) })
}

func archiveFault(c *archive.Coder, f *harness.Fault) {
	archive.String(c, &f.At, archive.MaxBytes)
	archive.AtMost(c, &f.Kind, harness.OtherAnswer)
	archive.Number(c, &f.Answer)
}

// archiveChance writes or reads where a generator stands.
func archiveChance(c *archive.Coder, p *rand.PCG) {
	state, err := p.MarshalBinary()
	c.Fixed(state)
	if c.Reading() && !c.Failed() {
		err = p.UnmarshalBinary(state)
	}
	c.Check(err == nil, "the state of a generator: %v", err)
}

func archiveSubtree(c *archive.Coder, p *search.Subtree) {
	archive.Slice(c, &p.Path, maxMessages, func(at *int) { archive.Number(c, at) })
	archive.Number(c, &p.New)
	archive.Slice(c, &p.Sleep, archive.MaxItems, func(m *search.Move) {
		archive.String(c, &m.Name, archive.MaxBytes)
		archive.String(c, &m.Task, archive.MaxBytes)
		archive.String(c, &m.Cause, archive.MaxBytes)
		receiver := uint64(m.Receiver) // search.All is negative
		archive.Number(c, &receiver)
		m.Receiver = int(receiver)
	})
}

// AppendResults writes results for the process that has sent the jobs. What is equal is written once.
func AppendResults(dst []byte, results []Result) ([]byte, error) {
	return new(archive.Recorder).Append(dst, func(c *archive.Coder) { archiveResults(c, &results) })
}

// ReadResults reads what AppendResults has written for some jobs of the batch, which may be arbitrary bytes. They fit the
// jobs, and can be taken.
func (b *Batch) ReadResults(record []byte, jobs []Job) (results []Result, err error) {
	err = archive.ReadRecord(record, func(c *archive.Coder) { archiveResults(c, &results) })
	if err == nil && len(results) != len(jobs) {
		err = fmt.Errorf("there are %d results of %d jobs", len(results), len(jobs))
	}
	for i := 0; i < len(jobs) && err == nil; i++ {
		err = b.fits(&jobs[i], &results[i])
	}
	return results, err
}

// fits checks that a result belongs to a job, and completes it.
func (b *Batch) fits(j *Job, r *Result) error {
	if j.Part == nil && j.Case == nil && len(r.outcomes) != 1 {
		return fmt.Errorf("a job of one run has %d results", len(r.outcomes))
	}
	for i := range r.outcomes {
		o := &r.outcomes[i]
		if len(o.reached) > len(b.config.Sometimes) || len(o.values) > len(b.config.Maximize) {
			return fmt.Errorf("a result is about %d and %d goals, and the exploration has %d and %d", len(o.reached), len(o.values), len(b.config.Sometimes), len(b.config.Maximize))
		}
		for _, a := range o.answers {
			if most := len(b.config.Setup.Operations); j.Case == nil && a.Position >= most {
				return fmt.Errorf("a result is about operation %d of %d", a.Position+1, most)
			}
		}
		if j.Case == nil {
			o.plan = j.Plan
		}
	}
	return nil
}
