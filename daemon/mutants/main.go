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
	"slices"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	only    *regexp.Regexp // of names of mutants
	sample  int            // how many are drawn; 0 for all
	seed    uint64
	timeout time.Duration // of the tests of one package
	list    bool
	results string // a file of verdicts; "" for none
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	only := flag.String("only", "", "only mutants whose name matches this expression")
	flag.IntVar(&o.sample, "sample", 0, "draw this many mutants, beside those that were survivors once; 0 runs all")
	flag.Uint64Var(&o.seed, "seed", 1, "what -sample draws with")
	flag.DurationVar(&o.timeout, "timeout", 5*time.Minute, "how long the tests of one package may run; a mutant that takes longer is killed")
	flag.BoolVar(&o.list, "list", false, "print the names of the mutants and run nothing")
	flag.StringVar(&o.results, "results", "", "write each verdict to this file, and do not repeat those that it has for the same source: a run of hours can be interrupted")
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
	chosen, err := choose(all, o)
	if err != nil {
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
	defer t.close()
	if t.verdicts, err = openVerdicts(o.results); err != nil {
		return err
	}
	return errors.Join(judge(ctx, t, chosen, known), t.verdicts.close())
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

// judge runs the mutants and prints what became of each. An error names those
// that survive without a reason and those that no longer survive.
func judge(ctx context.Context, t *tester, mutants []mutant, known survivors) error {
	killed, survived := 0, 0
	var wrong []string
	for _, m := range mutants {
		by, err := t.test(ctx, m)
		if err != nil {
			return err
		}
		reason, listed := known[m.name]
		switch {
		case by != "" && listed:
			wrong = append(wrong, fmt.Sprintf("%s is listed in %s, but %s kills it: remove the line", m.name, survivorsFile, by))
			fallthrough
		case by != "":
			killed++
			fmt.Printf("killed    %s (%s)\n", m.name, by)
		case listed:
			survived++
			fmt.Printf("survived  %s: %s\n", m.name, reason)
		default:
			survived++
			wrong = append(wrong, m.name+" survives: write a test for it, or list it with a reason in "+survivorsFile)
			fmt.Printf("SURVIVED  %s\n", m.name)
		}
	}
	fmt.Printf("%d mutants: %d killed, %d survived\n", len(mutants), killed, survived)
	if len(wrong) > 0 {
		return fmt.Errorf("the tests and the list disagree:\n  %s", strings.Join(wrong, "\n  "))
	}
	return nil
}
