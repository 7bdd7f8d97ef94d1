package campaign

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
)

// steps returns messages of one canister by their names. A message has written if its name ends with an exclamation
// mark.
func steps(names ...string) (all []*harness.Step) {
	for _, name := range names {
		s := &harness.Step{Move: name, Kind: replica.MoveIngress, Canister: principal.Anonymous, Method: "withdraw"}
		if harness.CallOf(name) != "" {
			s.Kind = replica.MoveResponse
		}
		if name[len(name)-1] == '!' {
			s.Move, s.Dirty = name[:len(name)-1], 1
		}
		all = append(all, s)
	}
	return all
}

func TestRunsAreKeptThatShowANewLink(t *testing.T) {
	g := newGuide(steps("op1", "op2", "op1/1.reply", "op2/1.reply"))
	for _, c := range []struct {
		steps []*harness.Step
		kept  bool
	}{
		{steps("op2", "op1", "op2/1.reply", "op1/1.reply"), false}, // the same for other operations
		{steps("op1", "op1/1.reply", "op2", "op2/1.reply"), true},  // an answer follows the message of its operation
		{steps("op2", "op2/1.reply", "op1", "op1/1.reply"), false},
		{steps("op1!", "op2", "op1/1.reply", "op2/1.reply"), true}, // an answer reads what the message of another operation has written
		{steps("op2!", "op1", "op2/1.reply", "op1/1.reply"), false},
	} {
		before := len(g.kept)
		g.learn(&outcome{steps: c.steps, plan: harness.Plan{{At: "op1", Kind: harness.NoCalls}}})
		if kept := len(g.kept) > before; kept != c.kept {
			t.Errorf("a run of %v is kept: %t, want %t", names(c.steps), kept, c.kept)
		}
	}
}

func TestAPartOfTheRunsBeginLikeOneThatWasKept(t *testing.T) {
	g := newGuide(steps("op1", "op2", "op3", "op4"))
	g.learn(&outcome{steps: steps("op1", "op1/1.reply", "op2", "op2/1.reply"), plan: harness.Plan{{At: "op2", Kind: harness.NoCalls}}})
	lengths, led, faulty := map[int]int{}, 0, 0
	for n := range uint64(4000) {
		j := Job{}
		g.kept.lead(&j, rand.New(rand.NewPCG(1, n)))
		if len(j.Plan) > 0 {
			faulty++
		}
		if j.Begin == nil {
			continue
		}
		led++
		lengths[len(j.Begin)]++
		if !slices.ContainsFunc(g.kept, func(k keptRun) bool { return slices.Equal(k.names[:len(j.Begin)], j.Begin) }) {
			t.Fatalf("a run begins with %v", j.Begin)
		}
	}
	if led < 850 || led > 1150 || faulty < led*2/5 || faulty > led*3/4 || len(lengths) != 5 {
		t.Errorf("of 4000 runs %d begin like others, %d with their faults, with so many messages: %v", led, faulty, lengths)
	}
	j, empty := Job{}, keptRuns(nil)
	for n := range uint64(100) {
		empty.lead(&j, rand.New(rand.NewPCG(1, n)))
	}
	if j.Begin != nil {
		t.Error("a run begins like one, and none was kept")
	}
}

func TestNoMoreThanAThousandRunsAreKept(t *testing.T) {
	g := newGuide(nil)
	for n := range 2500 {
		all := steps("op1", "op2")
		all[1].Method = fmt.Sprint("method", n)
		g.learn(&outcome{steps: all})
	}
	if len(g.kept) != 1000 {
		t.Errorf("%d runs are kept", len(g.kept))
	}
}
