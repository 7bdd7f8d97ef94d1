package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// judge tests the mutants, a few at a time, and prints the outcome of each. An error names the mutants that survive
// without a reason and the ones that no longer survive.
func judge(ctx context.Context, t *tester, mutants []mutant, known survivors, parallel int) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan mutant)
	r := report{known: known}
	var workers sync.WaitGroup
	for range max(1, parallel) {
		workers.Go(func() {
			for m := range next {
				start := time.Now()
				by, err := t.test(ctx, m)
				if err != nil {
					stop(err)
					return
				}
				r.add(m, by, time.Since(start))
			}
		})
	}
	for _, m := range mutants {
		select {
		case next <- m:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return r.end()
}

// report is the outcome of the mutants.
type report struct {
	known survivors

	mu               sync.Mutex // guards what follows
	killed, survived int
	wrong            []string
}

func (r *report) add(m mutant, by string, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reason, listed := r.known[m.name]
	switch {
	case by != "" && listed:
		r.wrong = append(r.wrong, fmt.Sprintf("%s is listed in %s, but %s kills it: remove the line", m.name, survivorsFile, by))
		fallthrough
	case by != "":
		r.killed++
		fmt.Printf("killed    %s (%s, %.1f s)\n", m.name, by, took.Seconds())
	case listed:
		r.survived++
		fmt.Printf("survived  %s: %s\n", m.name, reason)
	default:
		r.survived++
		r.wrong = append(r.wrong, m.name+" survives: write a test for it, or list it with a reason in "+survivorsFile)
		fmt.Printf("SURVIVED  %s (%.1f s)\n", m.name, took.Seconds())
	}
}

func (r *report) end() error {
	fmt.Printf("%d mutants: %d killed, %d survived\n", r.killed+r.survived, r.killed, r.survived)
	if len(r.wrong) > 0 {
		slices.Sort(r.wrong)
		return fmt.Errorf("the tests and the list disagree:\n  %s", strings.Join(r.wrong, "\n  "))
	}
	return nil
}
