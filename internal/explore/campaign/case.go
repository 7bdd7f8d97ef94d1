package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// caseRunner runs cases of drawn arguments and calls: each is a short exploration of its own. It belongs to one goroutine.
type caseRunner struct {
	config *Config        // its base is forked for each case, which changes what forks share
	known  []candid.Value // values of the base that are likely in arguments
	close  func()
}

// fork returns a second runner for another goroutine, with a fork of the base.
func (r *caseRunner) fork() *caseRunner {
	config := *r.config
	base, closeBase := harness.VolatileFork(config.Setup.Base)
	config.Setup.Base = base
	return &caseRunner{&config, r.known, closeBase}
}

// newCaseWorker returns a worker for the cases of an exploration.
func newCaseWorker(config *Config) (*Worker, error) {
	full := config.withDefaults()
	if err := full.check(); err != nil {
		return nil, err
	}
	return &Worker{cases: &caseRunner{&full, full.present(), func() {}}}, nil
}

// baseline identifies the base and what is drawn.
func (r *caseRunner) baseline() string {
	base := r.config.Setup.Base.RootHash()
	text := fmt.Appendf(base[:], "%d", r.config.Seed)
	for i := range r.config.Setup.Operations {
		text = fmt.Appendf(text, " %q", r.config.Setup.Operations[i].Title)
	}
	for i := range r.config.Drawn.Any {
		text = fmt.Appendf(text, " %q", r.config.Drawn.Any[i].Operation.Title)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// run explores a case: most cases briefly, and some with all phases. A case has no outcomes if the network does not accept
// its operations (canister_inspect_message, say), or if the time is over.
func (r *caseRunner) run(j *CaseJob) (result Result) {
	k, _, err := r.config.drawCase(j, r.known)
	if err != nil {
		return result // the exploration has drawn the case, too, and returns the error
	}
	made, err := k.make()
	if err != nil {
		return result
	}
	round, prepared := r.config.caseOf(&made), harness.PrepareSome(&r.config.Setup, len(r.config.Before), made.before)
	defer prepared.Done()
	round.Setup.Base, result.replied, result.ran = prepared.Network, prepared.Replied, prepared.Blocks
	long := j.Number%longCases == longCases-1
	round.Runs, round.Stop, round.Progress = shortCase, 0, nil
	if long {
		round.Runs = longCase
	}
	w, err := NewWorker(&round)
	if err != nil {
		return result
	}
	defer w.Close()
	round = round.withDefaults()
	round.Pool = inline{w}
	e := &exploration{Config: &round, worker: w, baseline: w.Baseline(), report: newReport(&round), collected: &result.outcomes}
	switch {
	case j.Given != nil:
		err = e.recordedCase(j)
	case long:
		err = e.phases()
	default:
		err = e.briefly()
	}
	if err != nil {
		panic(err) // the pool is inline and has no errors
	}
	return result
}

// recordedCase runs the operations in FIFO order, and as in the run of a corpus.
func (e *exploration) recordedCase(j *CaseJob) error {
	e.add("fifo", e.worker.baseline.run(e.worker.harness, nil, search.FIFO))
	b := &Batch{Count: 1, Job: func(int) Job {
		return Job{Plan: j.Plan, Begin: j.Messages, Chance: rand.NewPCG(e.Seed, corpusStream+uint64(j.Number))}
	}}
	return e.each(corpusPhase, b, nil)
}

// briefly runs the operations in FIFO order, and then in drawn orders.
func (e *exploration) briefly() error {
	e.add("fifo", e.worker.baseline.run(e.worker.harness, nil, search.FIFO))
	e.findFaults(e.worker.baseline.fifo, true)
	if e.strategy().Guided {
		e.guide = newGuide(e.worker.baseline.fifo)
	}
	return e.draw(false)
}
