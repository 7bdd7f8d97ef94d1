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

// speeds separate fast tests from slow ones: within a call tests run in the order of the
// source, and the fast ones kill most mutants.
var speeds = []time.Duration{200 * time.Millisecond, 2 * time.Second}

// kinds are how many speeds there are, and how many degrees of how likely a test is to notice.
const kinds = 3

// order is where a test comes: the likely and fast ones first, and slow ones that are likely
// before fast ones that are not.
func order(likely, named bool, took time.Duration) int {
	doubt := kinds - 1
	switch {
	case likely:
		doubt = 0
	case named:
		doubt = 1
	}
	slowness, _ := slices.BinarySearch(speeds, took)
	return (doubt+slowness)*kinds + doubt
}

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

// choose returns the tests that may notice a mutant, in the order to run them: those that
// use what is changed, those in a file that names it, then the others, and in that the fast ones
// first. The rest does not execute the changed code.
func (s *suite) choose(t target, text mentions) []batch {
	wanted := map[int]bool{}
	for _, p := range t.places {
		for _, i := range at(s.Blocks, p) {
			wanted[i] = true
		}
	}
	through := text.through(t.names)
	apart := text.through(processes)
	batches := make([]batch, 2*kinds*kinds)
	for _, run := range s.Tests {
		reaches := slices.ContainsFunc(run.Blocks, func(i int) bool { return wanted[i] })
		if !reaches && !t.anywhere && !run.Always && !through[run.Name] && !apart[run.Name] {
			continue
		}
		b := &batches[order(through[run.Name], text.fileNames(run.Name, t.subject), run.Took)]
		b.tests = append(b.tests, run.Name)
		b.took += run.Took
	}
	return slices.DeleteFunc(batches, func(b batch) bool { return len(b.tests) == 0 })
}
