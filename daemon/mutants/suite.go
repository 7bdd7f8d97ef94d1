package main

import (
	"slices"
	"time"
)

// suite is what the tests of a package reach, in short mode and each by itself.
type suite struct {
	Blocks []block // that any test reaches
	Tests  []testRun
}

// testRun is one test, example or fuzz target with its seeds.
type testRun struct {
	Name   string
	Took   time.Duration
	Blocks []int // indexes of the suite's blocks
	Always bool  // it passes only where coverage is not measured: what it reaches is not known
}

// batch is tests that one call runs, with the time that they take together where nothing is changed.
type batch struct {
	tests []string
	took  time.Duration
}

// slow separates tests in a batch of their own: within a call tests run in the order of
// the source, and the fast ones kill most mutants.
const slow = time.Second

// add notes the blocks that a test executed.
func (s *suite) add(run testRun, executed []block, indexes map[block]int) {
	for _, b := range executed {
		i, known := indexes[b]
		if !known {
			i = len(s.Blocks)
			indexes[b] = i
			s.Blocks = append(s.Blocks, b)
		}
		run.Blocks = append(run.Blocks, i)
	}
	s.Tests = append(s.Tests, run)
}

// choose returns the tests that may notice a mutant, in the order to run them: those in a file
// that names what is changed, then the others, each the fast ones first. The rest does not
// execute the changed code.
func (s *suite) choose(t target, text mentions) []batch {
	wanted := map[int]bool{}
	for _, p := range t.places {
		for _, i := range at(s.Blocks, p) {
			wanted[i] = true
		}
	}
	through := text.through(t.names)
	apart := text.through(processes)
	var batches [4]batch
	for _, run := range s.Tests {
		reaches := slices.ContainsFunc(run.Blocks, func(i int) bool { return wanted[i] })
		if !reaches && !t.anywhere && !run.Always && !through[run.Name] && !apart[run.Name] {
			continue
		}
		order := 0
		if !text.fileNames(run.Name, t.subject) {
			order += 2
		}
		if run.Took >= slow {
			order++
		}
		batches[order].tests = append(batches[order].tests, run.Name)
		batches[order].took += run.Took
	}
	return slices.DeleteFunc(batches[:], func(b batch) bool { return len(b.tests) == 0 })
}
