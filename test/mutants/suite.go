package main

import (
	"slices"
	"time"
)

// suite is what the tests of a package come near, in short mode and each by itself.
type suite struct{ Tests []testRun }

// testRun is one test, example or fuzz target with its seeds.
type testRun struct {
	Name   string
	Took   time.Duration
	Near   []string // the mutants that make a difference in it
	Always bool     // it fails with probes and no mutant active: what it comes near is not known
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

// choose returns the wanted tests in the order to run them: first the tests that use what is changed, then the ones in
// a file that names it, then the others; among equals, the fast ones first.
func (s *suite) choose(t target, text mentions, wanted func(testRun) bool) []batch {
	through := text.through(t.names)
	batches := make([]batch, 2*kinds*kinds)
	for _, run := range s.Tests {
		if !wanted(run) {
			continue
		}
		b := &batches[order(through[run.Name], text.fileNames(run.Name, t.subject), run.Took)]
		b.tests = append(b.tests, run.Name)
		b.took += run.Took
	}
	return slices.DeleteFunc(batches, func(b batch) bool { return len(b.tests) == 0 })
}
