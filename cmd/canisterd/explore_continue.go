package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/explore/corpus"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// maxRuns is the largest number of runs that the daemon accepts.
const maxRuns = 10_000_000

// continueFlags say how long an exploration goes on, and where later ones continue.
type continueFlags struct {
	corpus, lasting string
	blocks          bool
}

func (f *continueFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.corpus, "corpus", "", "directory of runs that are findings or showed something new: begin with them, and add further ones")
	flags.StringVar(&f.lasting, "for", "", "explore for this time, such as 1h: --time without a limit of runs, unless --runs is given")
	flags.BoolVar(&f.blocks, "blocks", false, "guide random orders by blocks of code that run for the first time, too; runs take longer")
	cmd.MarkFlagsMutuallyExclusive("for", "time")
}

// apply adds the flags to a request, and opens the corpus; nil: there is none. Without --seed, each exploration of a corpus has
// another seed, so that it does not repeat the runs of an earlier one.
func (f *continueFlags) apply(c *cli, cmd *cobra.Command, in *controlv1.ExploreRequest) (*corpusWriter, error) {
	in.Blocks = f.blocks
	if f.lasting != "" {
		limit, err := quantity.ParseDuration(f.lasting)
		if err != nil {
			return nil, fmt.Errorf("--for: %w", err)
		}
		in.Time = durationpb.New(limit)
		if !cmd.Flags().Changed("runs") {
			in.Runs = maxRuns
		}
	}
	if f.corpus == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	folder, err := corpus.Open(f.corpus)
	if err != nil {
		return nil, fmt.Errorf("--corpus: %w", err)
	}
	runs, skipped, err := folder.Read()
	if err != nil {
		return nil, fmt.Errorf("--corpus: %w", err)
	}
	w := &corpusWriter{cli: c, folder: folder, path: f.corpus}
	for _, s := range skipped {
		w.skip(s.Name, s.Reason.Error())
	}
	findings := uint64(0)
	for _, r := range runs {
		if r.Finding {
			findings++
		}
		in.Corpus = append(in.Corpus, &controlv1.ExploreRecorded{Name: r.Name, Schedule: r.Text})
	}
	in.Keep = true
	if !cmd.Flags().Changed("seed") {
		in.Seed = newSeed()
	}
	c.note("corpus %s: %s, seed %d", f.corpus, corpusSize(uint64(len(runs))-findings, findings), in.GetSeed())
	return w, nil
}

// corpusSize counts the runs of a corpus.
func corpusSize(runs, findings uint64) string {
	if findings == 0 {
		return count(runs, "run")
	}
	return count(runs, "run") + " and " + count(findings, "finding")
}

// newSeed returns a seed that no other exploration is likely to have.
func newSeed() uint64 {
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // it does not fail
	return cmp.Or(uint64(binary.LittleEndian.Uint32(seed[:])), 1)
}

// corpusWriter adds the runs of one exploration to a corpus.
type corpusWriter struct {
	cli            *cli
	folder         *corpus.Folder
	path           string
	runs, findings uint64 // that were added
}

// skip tells that a run of the corpus is left out.
func (w *corpusWriter) skip(name, reason string) {
	w.cli.note("corpus %s: %s is left out: %s", w.path, name, reason)
}

// take handles what an exploration says about its corpus.
func (w *corpusWriter) take(answer *controlv1.ExploreResponse) error {
	if w == nil {
		return nil
	}
	if s := answer.GetSkipped(); s != nil {
		w.skip(s.GetName(), s.GetReason())
	}
	if p := answer.GetPassed(); p != nil {
		w.cli.note("corpus %s: %s no longer fails: %s", w.path, p.GetName(), p.GetReason())
	}
	if r := answer.GetRecorded(); r != nil {
		if r.GetFinding() {
			w.findings++
		} else {
			w.runs++
		}
		return w.folder.Add(r.GetSchedule(), r.GetFinding())
	}
	return nil
}

// close tells how many runs were added.
func (w *corpusWriter) close() {
	if w != nil {
		w.cli.note("corpus %s: %s added", w.path, corpusSize(w.runs, w.findings))
	}
}

// endOnInterrupt ends an exploration early when the command is interrupted: the daemon sends the report of what was run. If that
// is not possible, it calls end. The caller calls stop.
func endOnInterrupt(cmdCtx, ctx context.Context, d *remote.Daemon, exploration string, end context.CancelCauseFunc) (stop func() bool) {
	return context.AfterFunc(cmdCtx, func() {
		if _, err := d.Explorer.EndExploration(ctx, &controlv1.EndExplorationRequest{Exploration: exploration}); err != nil {
			end(context.Cause(cmdCtx))
		}
	})
}
