package explore

import (
	"fmt"
	"math/rand/v2"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/corpus"
	"github.com/canisterd/canisterd/internal/explore/schedule"
)

// Corpus is a folder of runs that showed something new, and of the runs of findings. The exploration begins with them, findings
// first, and adds further ones, so that explorations of different days go on where others stopped, and find a bug again until it is
// fixed. Without [Seed], each has another seed. Several may use a folder
// at the same time.
func Corpus(folder string) Option {
	return func(to *config) error { to.corpus.path = folder; return nil }
}

// corpusFolder is the folder of [Corpus] during an exploration.
type corpusFolder struct {
	path    string
	leftOut []string
	passed  []string
	failed  error // the first error of adding a run
}

// openCorpus begins the exploration with the runs of the folder, if one was given.
func (c *config) openCorpus() error {
	if c.corpus.path == "" {
		return nil
	}
	folder, err := corpus.Open(c.corpus.path)
	if err != nil {
		return err
	}
	runs, skipped, err := folder.Read()
	if err != nil {
		return err
	}
	leaveOut := func(name string, reason error) {
		c.corpus.leftOut = append(c.corpus.leftOut, fmt.Sprintf("%s: %v", name, reason))
	}
	c.Passed = func(name, reason string) {
		c.corpus.passed = append(c.corpus.passed, name+": "+reason)
	}
	for _, s := range skipped {
		leaveOut(s.Name, s.Reason)
	}
	for _, r := range runs {
		file, err := schedule.Read([]byte(r.Text))
		if err == nil {
			err = c.AddRecorded(r.Name, file, campaign.Named(file, c.canister))
		}
		if err != nil {
			leaveOut(r.Name, err)
		}
	}
	c.Keep = func(f *schedule.File) {
		text, err := schedule.Write(f)
		if err == nil {
			err = folder.Add(string(text), f.Property != schedule.NewCoverage)
		}
		if err != nil && c.corpus.failed == nil {
			c.corpus.failed = err
		}
	}
	if !c.seeded {
		c.Config.Seed = rand.Uint64()
	}
	return nil
}
