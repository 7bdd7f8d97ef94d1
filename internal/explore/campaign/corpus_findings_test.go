package campaign_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	"github.com/canisterd/canisterd/test/campaigntest"
)

// findingsOf returns the files that are those of findings of a property.
func findingsOf(files []*schedule.File, property string) []*schedule.File {
	return slices.DeleteFunc(slices.Clone(files), func(f *schedule.File) bool { return f.Property != property })
}

// addAll adds files to the corpus of an exploration. A file is named after its number.
func addAll(t *testing.T, c *campaign.Config, files []*schedule.File) {
	t.Helper()
	for i, f := range files {
		if err := c.AddRecorded(fmt.Sprint(i), f, campaigntest.Named(c)); err != nil {
			t.Fatal(err)
		}
	}
}

// overpaid is the property that the bank violates.
const overpaid = "vault paidOut <= 100"

func TestAnExplorationBeginsWithTheFindingsOfItsCorpus(t *testing.T) {
	t.Parallel()
	four := func(bank string) *campaign.Config { c := theft(t, bank, 4); c.Runs = 1200; return c }
	for name, c := range map[string]struct {
		exploration func() *campaign.Config
		mended      func(*schedule.File) *campaign.Config // an exploration in which the finding does not fail
	}{
		"operations": {func() *campaign.Config { return four("bank") }, func(*schedule.File) *campaign.Config { return four("careful") }},
		"drawn": {func() *campaign.Config { return anyTheft(t, 400) }, func(f *schedule.File) *campaign.Config {
			f.Before = nil
			for i := range f.Operations {
				f.Operations[i].Argument = "(0 : nat)"
			}
			return anyTheft(t, 1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, _ := kept(t, c.exploration())
			found := findingsOf(files, overpaid)
			if len(found) != 1 {
				t.Fatalf("%d findings of %s are kept, want 1", len(found), overpaid)
			}

			next := c.exploration()
			next.Seed, next.Stop = 2, 1
			addAll(t, next, found)
			again, r := kept(t, next)
			if found := r.Violations(); r.Runs != 1 || len(found) != 1 || found[0].Property != overpaid {
				t.Errorf("the finding is not found again in the first of %d runs:\n%s", r.Runs, campaigntest.Text(next, r))
			}
			if twice := findingsOf(again, overpaid); len(twice) > 0 {
				t.Errorf("the finding is kept a second time: %+v", twice[0])
			}

			passed := ""
			mended := c.mended(found[0])
			mended.Passed = func(file, reason string) { passed += file + ": " + reason }
			addAll(t, mended, found)
			if r := run(t, mended); !strings.HasPrefix(passed, "0: ") {
				t.Errorf("the exploration says %q about a finding that does not fail:\n%s", passed, campaigntest.Text(mended, r))
			}
		})
	}
}

func TestAFindingThatAnExplorationCannotFindIsStaleAndTheErrorSaysWhy(t *testing.T) {
	t.Parallel()
	files, _ := kept(t, anyTheft(t, 400))
	found := findingsOf(files, overpaid)[0]
	faulty, renamed, twice := *found, *found, *found
	faulty.Faults = []schedule.Fault{{At: "op1", Kind: "no_calls"}}
	renamed.Property = "vault paidOut <= 7"
	twice.Operations = append(slices.Clone(found.Operations), found.Operations...)
	for want, file := range map[string]*schedule.File{
		"it has 1 faults, and a run of this exploration has at most 0": &faulty,
		"it violates \"vault paidOut <= 7\"":                           &renamed,
		"it has two operations ":                                       &twice,
	} {
		c := anyTheft(t, 1)
		c.Faults = 0
		if err := c.AddRecorded("", file, campaigntest.Named(c)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	without := theft(t, "bank", 2)
	if err := without.AddRecorded("", found, campaigntest.Named(without)); err == nil {
		t.Error("a finding with calls before its operations is of an exploration without such calls")
	}
}
