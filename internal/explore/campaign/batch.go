package campaign

import (
	"slices"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// planned is a run that was not made yet.
type planned struct {
	plan   harness.Plan
	picker search.Picker
}

// batch makes several runs. Runs that begin with the same messages under the same faults share this prefix: its messages
// are delivered once, and the network is forked where the runs diverge. The outcomes do not depend on the sharing.
//
//	run 1   op1  op2  op1/1.request  …
//	run 2   op1  op2  op2/1.request  …      op1 and op2 are delivered once, and one fork is made
type batch struct {
	*baseline
	runs     []planned
	outcomes []outcome
}

// each makes runs and returns their outcomes in the same order.
func (b *baseline) each(l *harness.Harness, runs []planned) []outcome {
	t := &batch{baseline: b, runs: runs, outcomes: make([]outcome, len(runs))}
	left := make([]int, len(runs))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		plan, same := runs[left[0]].plan, []int(nil)
		left = slices.DeleteFunc(left, func(run int) bool {
			alike := l.BeginAlike(plan, runs[run].plan)
			if alike {
				same = append(same, run)
			}
			return alike
		})
		t.follow(l.Begin(plan), same, nil, maxMessages)
	}
	return t.outcomes
}

// fewParts is how many parts fit in the buffer on the stack.
const fewParts = 4

// part has the runs that make the same next move under the same faults.
type part struct {
	at     int // position of the move
	faults harness.Plan
	runs   []int
}

// follow continues runs that were the same so far, with the violations found in them. It closes the run of the harness.
func (t *batch) follow(r *harness.Run, runs []int, found []property.Violation, messages int) {
	defer r.Close()
	var room [fewParts]part
	for ; messages > 0; messages-- {
		moves := r.Moves()
		found = append(slices.Clip(found), t.atRest(r)...)
		if len(moves) == 0 || r.Cut() {
			break
		}
		parts := t.choose(r, moves, runs, room[:0])
		last := len(parts) - 1
		for _, p := range parts[:last] {
			other := r.Fork().(*harness.Run)
			other.Moves()
			t.follow(other, p.runs, t.take(other, &p, found), messages-1)
		}
		runs, found = parts[last].runs, t.take(r, &parts[last], found)
	}
	t.setOutcomes(r, runs, found)
}

// choose asks each run for its next move, and groups the runs into parts.
func (t *batch) choose(r *harness.Run, moves []search.Move, runs []int, parts []part) []part {
	for n, run := range runs {
		at := t.runs[run].picker.Pick(moves)
		faults := r.FaultsAffecting(t.runs[run].plan, at)
		i := 0
		for i < len(parts) && (parts[i].at != at || !slices.Equal(parts[i].faults, faults)) {
			i++
		}
		switch {
		case i == len(parts):
			parts = append(parts, part{at, faults, runs[n : n+1 : n+1]})
		case i == 0 && len(parts) == 1: // all so far
			parts[0].runs = runs[: n+1 : n+1]
		default:
			parts[i].runs = append(parts[i].runs, run)
		}
	}
	return parts
}

// take makes the move of a part, and appends the violations that it causes.
func (t *batch) take(r *harness.Run, p *part, found []property.Violation) []property.Violation {
	r.Under(t.runs[p.runs[0]].plan)
	r.Take(p.at)
	return append(slices.Clip(found), t.afterMessage(r)...)
}

// setOutcomes sets the outcomes of runs that were the same to their end. Their plans can only differ in faults whose
// messages did not come.
func (t *batch) setOutcomes(r *harness.Run, runs []int, found []property.Violation) {
	for i, run := range runs {
		plan := t.runs[run].plan
		if i > 0 && slices.Equal(plan, t.runs[runs[i-1]].plan) {
			t.outcomes[run] = t.outcomes[runs[i-1]]
			continue
		}
		r.Under(plan)
		o := outcome{plan: plan, violations: slices.Clip(found)}
		t.judge(r, &o)
		t.outcomes[run] = o
	}
}
