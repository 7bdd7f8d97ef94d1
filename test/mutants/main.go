package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"time"
)

// options are the flags.
type options struct {
	only    *regexp.Regexp // of names of mutants
	since   string         // a commit: only mutants in files changed since; branch for where this branch began, "" for all
	sample  int            // how many are drawn; 0 for all
	seed    uint64
	timeout time.Duration // of the tests of one package
	list    bool
	results string // a file of verdicts; "" for none

	parallel int
	whole    bool // run all tests of a package
}

// few mutants are not worth measuring what each test comes near, which takes minutes for a
// large package: they run whole packages, one after the other.
const few = 12

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	only := flag.String("only", "", "only mutants whose name matches this expression")
	flag.StringVar(&o.since, "since", "", "only mutants in files that differ from this commit; "+branch+" is where this branch left main, or on main the last commit")
	flag.IntVar(&o.sample, "sample", 0, "draw this many mutants, beside those that were survivors once; 0 runs all")
	flag.Uint64Var(&o.seed, "seed", 1, "what -sample draws with")
	flag.DurationVar(&o.timeout, "timeout", 5*time.Minute, "how long the tests of one package may run; a mutant that takes longer is killed")
	flag.BoolVar(&o.list, "list", false, "print the names of the mutants and run nothing")
	flag.StringVar(&o.results, "results", "", "write each verdict to this file, and do not repeat those that it has for the same source: a run of hours can be interrupted")
	flag.IntVar(&o.parallel, "parallel", runtime.GOMAXPROCS(0), "how many mutants are tested at a time")
	flag.BoolVar(&o.whole, "whole", false, fmt.Sprintf("run all tests of a package, one mutant at a time, as for up to %d mutants; otherwise only those that come near what is changed", few))
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run runs the chosen mutants of the repository in the working directory.
func run(ctx context.Context, o options) error {
	all, err := find(".")
	if err != nil {
		return err
	}
	known, err := readSurvivors(survivorsFile)
	if err != nil {
		return err
	}
	if err := known.check(all); err != nil {
		return err
	}
	chosen, err := candidates(ctx, ".", all, o)
	if err != nil || len(chosen) == 0 {
		return err
	}
	if o.list {
		for _, m := range chosen {
			fmt.Println(m.name)
		}
		return nil
	}
	t, err := newTester(o.timeout)
	if err != nil {
		return err
	}
	if o.whole = o.whole || len(chosen) <= few; o.whole {
		o.parallel = 1
	} else if t.near, err = newNear(t.root, all, kept(o.results)); err != nil {
		return err
	}
	defer t.near.remove()
	if t.verdicts, err = openVerdicts(o.results); err != nil {
		return err
	}
	return errors.Join(judge(ctx, t, chosen, known, o.parallel), t.verdicts.close())
}

// candidates returns the mutants that run: of all, or of the changed files, and says how many these are. Where no changed
// file has a mutant, there is none.
func candidates(ctx context.Context, root string, all []mutant, o options) ([]mutant, error) {
	if o.since == "" {
		return choose(all, o)
	}
	changed, commit, err := changedSince(ctx, root, o.since, all)
	switch {
	case errors.Is(err, errNoBase):
		fmt.Println("no mutant is run:", err)
		return nil, nil
	case err != nil:
		return nil, err
	case len(changed) == 0:
		fmt.Println("no mutant in the files changed since", commit)
		return nil, nil
	}
	chosen, err := choose(changed, o)
	if err == nil {
		fmt.Printf("%d of the %d mutants in the files changed since %s\n", len(chosen), len(changed), commit)
	}
	return chosen, err
}

// kept is the folder for what tests come near: beside the verdicts.
func kept(results string) string {
	if results == "" {
		return ""
	}
	return results + ".near"
}

// choose returns the mutants that match, or a sample of them: those of the lowest rank. A new
// constant therefore moves at most one mutant out of the sample.
func choose(all []mutant, o options) ([]mutant, error) {
	var matching, kept, rest []mutant
	for _, m := range all {
		if o.only.MatchString(m.name) {
			matching = append(matching, m)
		}
	}
	if len(matching) == 0 {
		return nil, fmt.Errorf("no mutant matches %q", o.only)
	}
	if o.sample == 0 {
		return matching, nil
	}
	for _, m := range matching {
		if slices.Contains(always, m.name) {
			kept = append(kept, m)
		} else {
			rest = append(rest, m)
		}
	}
	slices.SortFunc(rest, func(a, b mutant) int { return cmp.Compare(a.rank(o.seed), b.rank(o.seed)) })
	return append(kept, rest[:min(o.sample, len(rest))]...), nil
}
