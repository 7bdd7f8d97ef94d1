package export

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/textwidth"
)

// Named is a profile with the names of its canisters.
type Named struct {
	*profile.Profile
	Names Names
}

// Compare returns two profiles as a table: the functions whose instructions differ, at most top of them, those with the
// largest difference of their own instructions first. Functions are the same if the names of their canisters, their
// kinds and names are: ids of canisters, indices and hashes of names differ between builds.
func Compare(before, after Named, top int) string {
	old, young := newForest(before.Profile), newForest(after.Profile)
	changes := changesOf(sums(old, before.Names), sums(young, after.Names))
	same, top := len(changes), max(top, 0)
	changes = slices.DeleteFunc(changes, func(c change) bool { return c.isBefore && c.isAfter && c.self.same() && c.total.same() })
	same -= len(changes)
	slices.SortFunc(changes, compareChanges)

	var out strings.Builder
	fmt.Fprintf(&out, "before: %s in %s\n", counted(old.all(), "instruction"), counted(old.Messages, "message"))
	fmt.Fprintf(&out, "after:  %s in %s\n\n", counted(young.all(), "instruction"), counted(young.Messages, "message"))
	t := changeTable(changes[:min(top, len(changes))], severalChanged(changes))
	all := pair{old.all(), young.all()}
	last := append(all.cells(), all.cells()...)
	if t.left == 2 {
		last = append(last, "")
	}
	t.add(append(last, "total")...)
	out.WriteString(t.String())
	if n := len(changes) - top; n > 0 {
		fmt.Fprintf(&out, "… %s more with a smaller difference\n", counted(uint64(n), "function"))
	}
	if same > 0 {
		fmt.Fprintf(&out, "%s without a difference\n", counted(uint64(same), "function"))
	}
	return out.String()
}

// pair is a number before and after.
type pair struct{ before, after uint64 }

func (p pair) same() bool { return p.before == p.after }

// size returns how much the numbers differ.
func (p pair) size() uint64 { return max(p.before, p.after) - min(p.before, p.after) }

// cells returns the numbers, their difference, and the difference as a part of the number before.
func (p pair) cells() []string {
	sign := "+"
	if p.after < p.before {
		sign = "-"
	}
	difference, part := sign+grouped(p.size()), "–"
	switch {
	case p.same():
		difference, part = "0", "0.0%"
	case p.before > 0:
		part = sign + strconv.FormatFloat(100*float64(p.size())/float64(p.before), 'f', 1, 64) + "%"
	}
	return []string{grouped(p.before), grouped(p.after), difference, part}
}

// change is a function of one or both profiles.
type change struct {
	frame
	self, total       pair
	isBefore, isAfter bool
}

func changesOf(before, after []*sum) []change {
	var changes []change
	places := map[frame]int{}
	at := func(of frame) *change {
		place, known := places[of]
		if !known {
			place = len(changes)
			places[of] = place
			changes = append(changes, change{frame: of})
		}
		return &changes[place]
	}
	for _, s := range before {
		c := at(s.frame)
		c.self.before, c.total.before, c.isBefore = s.self.Instructions, s.total, true
	}
	for _, s := range after {
		c := at(s.frame)
		c.self.after, c.total.after, c.isAfter = s.self.Instructions, s.total, true
	}
	return changes
}

func compareChanges(a, b change) int {
	return cmp.Or(
		cmp.Compare(b.self.size(), a.self.size()), cmp.Compare(b.total.size(), a.total.size()), compareFrames(&a.frame, &b.frame),
	)
}

func severalChanged(changes []change) bool {
	var all []*sum
	for i := range changes {
		all = append(all, &sum{frame: changes[i].frame})
	}
	return severalCanisters(all)
}

func changeTable(changes []change, several bool) *table {
	t := &table{left: 1, head: []string{
		"self before", "after", "difference", "", "total before", "after", "difference", "", "function",
	}}
	if several {
		t.head, t.left = slices.Insert(t.head, len(t.head)-1, "canister"), 2
	}
	for i := range changes {
		c := &changes[i]
		cells := append(c.self.cells(), c.total.cells()...)
		if several {
			canister := c.canister
			if c.kind == profile.Await {
				canister = ""
			}
			cells = append(cells, textwidth.Fit(canister, MaxCells))
		}
		label := textwidth.Fit(c.label(), MaxCells)
		switch {
		case !c.isBefore:
			label += " (new)"
		case !c.isAfter:
			label += " (gone)"
		}
		t.add(append(cells, label)...)
	}
	return t
}
