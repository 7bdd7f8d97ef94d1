package campaign

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// Point is a message of the shortest run of a finding, with how many continuations after it violate the property. A
// continuation has the run's messages and faults up to the point, then a random order without further faults.
type Point struct {
	Message       string
	Violating, Of int
}

// Words say how likely the violation is after the point.
func (p *Point) Words() string {
	if p.Violating == p.Of {
		return fmt.Sprintf("point of no return: all %d random continuations fail", p.Of)
	}
	return fmt.Sprintf("likely from here: %d of %d random continuations fail", p.Violating, p.Of)
}

// pointAt returns the point at a message, nil if it is none.
func (f *Finding) pointAt(message string) *Point {
	for _, p := range []*Point{f.Certain, f.Likely} {
		if p != nil && p.Message == message {
			return p
		}
	}
	return nil
}

// setPoints sets the points of a finding: Certain is the first message after which all continuations violate the property,
// Likely the first after which at least half do; so do those after each later message. A run that is long, or whose code is,
// has no points.
func (b *baseline) setPoints(l *harness.Harness, f *Finding) {
	if !f.hasRun() || len(f.Steps) > maxContinued || b.work > maxContinuedWork {
		return
	}
	own := *b
	own.properties = slices.DeleteFunc(slices.Clone(b.properties), func(p property.Property) bool { return !property.Finds(p, f.Property) })
	counts, ok := own.violating(l, f)
	if !ok {
		return
	}
	first := func(atLeast int) *Point {
		at := len(counts)
		for at > 0 && counts[at-1] >= atLeast {
			at--
		}
		if at == len(counts) {
			return nil
		}
		return &Point{f.Steps[max(0, at-1)].Move, counts[at], continuations}
	}
	f.Certain, f.Likely = first(continuations), first(continuations/2)
	if f.Certain != nil && f.Likely.Message == f.Certain.Message || f.Likely != nil && counts[0] >= continuations/2 {
		f.Likely = nil // it says nothing about a message
	}
}

// violating returns how many continuations violate the property: before the first message of a run, and after each. It fails
// if the time is over.
func (b *baseline) violating(l *harness.Harness, f *Finding) (counts []int, ok bool) {
	r, picker := l.Begin(f.Schedule.Plan), search.Follow(f.Schedule.Deviations)
	defer r.Close()
	var found []property.Violation
	for {
		moves := r.Moves()
		found = append(found, b.atRest(r)...)
		count := 0
		for _, o := range b.continued(r, found, uint64(len(counts))) {
			if slices.ContainsFunc(o.violations, func(v property.Violation) bool { return v.Key() == f.Key() }) {
				count++
			}
		}
		if counts = append(counts, count); r.Cut() || b.config.Expired() {
			return nil, false
		}
		if len(moves) == 0 || len(counts) > len(f.Steps) {
			return counts, len(counts) == len(f.Steps)+1
		}
		r.Take(picker.Pick(moves))
		found = append(found, b.afterMessage(r)...)
	}
}

// continued returns the outcomes of the continuations of a run in which violations were found so far. The run stays where
// it is.
func (b *baseline) continued(r *harness.Run, found []property.Violation, number uint64) []outcome {
	left := r.Unapplied()
	plan := slices.DeleteFunc(slices.Clone(r.Plan()), func(f harness.Fault) bool { return slices.Contains(left, f) })
	t := &batch{baseline: b, outcomes: make([]outcome, continuations)}
	var runs []int
	for i := range continuations {
		chance := rand.New(rand.NewPCG(b.config.Seed, number*continuations+uint64(i)))
		t.runs = append(t.runs, planned{plan, search.Random().Begin(chance, &b.profile)})
		runs = append(runs, i)
	}
	fork := r.Fork().(*harness.Run)
	fork.Under(plan)
	t.follow(fork, runs, slices.Clone(found), maxMessages)
	return t.outcomes
}
