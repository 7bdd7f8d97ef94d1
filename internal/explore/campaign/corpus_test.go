package campaign_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	"github.com/canisterd/canisterd/test/campaigntest"
)

// kept returns the files that an exploration keeps.
func kept(t *testing.T, c *campaign.Config) (all []*schedule.File, r *campaign.Report) {
	t.Helper()
	c.Keep = func(f *schedule.File) {
		text, err := schedule.Write(f)
		if err != nil {
			t.Fatal(err)
		}
		file, err := schedule.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file)
	}
	r = run(t, c)
	return all, r
}

// anyTheft is an exploration of drawn calls of the bank.
func anyTheft(t *testing.T, runs int) *campaign.Config {
	t.Helper()
	c := anyTheftOf(t, "bank")
	c.Runs = runs
	return c
}

// anyTheftOf is anyTheft with another bank.
func anyTheftOf(t *testing.T, bank string) *campaign.Config {
	t.Helper()
	c := theft(t, bank, 0)
	like := theft(t, bank, 1).Setup.Operations[0].Message
	if err := c.DrawCalls(like.Receiver, func(method string) harness.Operation {
		in := like
		in.Method, in.Arg = method, []byte("DIDL\x00\x00")
		return harness.Operation{Title: "bank " + method + " ?", Message: in}
	}); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAnExplorationBeginsWithTheRunsOfACorpus(t *testing.T) {
	t.Parallel()
	for name, exploration := range map[string]func() *campaign.Config{
		"operations": func() *campaign.Config { c := theft(t, "bank", 4); c.Runs = 1200; return c },
		"drawn":      func() *campaign.Config { return anyTheft(t, 400) },
		"blocks":     func() *campaign.Config { c := anyTheft(t, 400); c.Setup.Blocks = true; return c },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := exploration()
			files, whole := kept(t, first)
			if len(files) == 0 {
				t.Fatal("no run showed something new")
			}
			next := exploration()
			next.Seed = 2
			for _, f := range files {
				if err := next.AddRecorded("", f, campaigntest.Named(next)); err != nil {
					t.Fatal(err)
				}
			}
			next.Runs = 2 * len(files)
			again, short := kept(t, next)
			if len(again) > 0 {
				t.Errorf("%d runs of a corpus are kept a second time", len(again))
			}
			if short.Coverage.Edges < whole.Coverage.Edges*9/10 || short.Coverage.Blocks < whole.Coverage.Blocks*9/10 {
				t.Errorf("the corpus alone covers %s, all %d runs covered %s", short.Coverage.String(), whole.Runs, whole.Coverage.String())
			}
		})
	}
}

func TestARunThatDoesNotFitIsStaleAndTheErrorSaysWhy(t *testing.T) {
	t.Parallel()
	drawn, _ := kept(t, anyTheft(t, 200))
	four := theft(t, "bank", 4)
	four.Runs = 1200
	fixed, _ := kept(t, four)
	changed := func(f *schedule.File, change func(*schedule.File)) *schedule.File {
		other := *f
		other.Before, other.Operations = slices.Clone(f.Before), slices.Clone(f.Operations)
		change(&other)
		return &other
	}
	for want, c := range map[string]struct {
		config *campaign.Config
		file   *schedule.File
	}{
		"bank.close of this caller is not drawn here":    {anyTheft(t, 1), changed(drawn[0], func(f *schedule.File) { f.Operations[0].Method = "close" })},
		"the interface of bank.":                         {anyTheft(t, 1), changed(drawn[0], func(f *schedule.File) { f.Operations[0].Argument = "(true, false, principal \"aaaaa-aa\")" })},
		"it is about canister \"other\"":                 {anyTheft(t, 1), changed(drawn[0], func(f *schedule.File) { f.Operations[0].Canister = "other" })},
		"the operations have changed":                    {theft(t, "bank", 4), changed(fixed[0], func(f *schedule.File) { f.Operations[0].Argument = "(7 : nat)" })},
		"it has 4 operations, and the exploration has 5": {theft(t, "bank", 5), fixed[0]},
	} {
		if err := c.config.AddRecorded("", c.file, campaigntest.Named(c.config)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
		if len(c.config.Corpus) > 0 {
			t.Errorf("%s: the run was added", want)
		}
	}
}

func TestBlocksAndStatesDoNotDependOnTheNumberOfWorkers(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, workers := range []int{1, 3} {
		c := anyTheft(t, 600)
		c.Workers, c.Setup.Blocks = workers, true
		files, r := kept(t, c)
		texts = append(texts, campaigntest.Text(c, r)+r.Coverage.String())
		for _, f := range files {
			texts[len(texts)-1] += strings.Join(f.Messages, " ")
		}
	}
	if texts[0] != texts[1] {
		t.Errorf("with one worker\n%s\nwith three\n%s", texts[0], texts[1])
	}
}
