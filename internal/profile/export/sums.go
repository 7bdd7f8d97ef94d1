package export

import (
	"cmp"
	"slices"

	"github.com/canisterd/canisterd/internal/profile"
)

// sum is what all nodes of a frame have together.
type sum struct {
	frame
	self  profile.Weights // without the frames below
	total uint64          // instructions with the frames below; of a recursion, those of the outermost frame
	// messages is how many messages a call to another canister caused directly: the callee's and the callbacks that
	// received responses. Of an await.
	messages uint64
}

// sums returns a sum for each frame of a profile, with the hashes of names removed.
func sums(f *forest, names Names) []*sum {
	var all []*sum
	of := make([]*sum, len(f.Symbols))
	known := map[frame]*sum{}
	for i := range f.Symbols {
		what := frame{name: unplaced}
		if i > 0 {
			what = names.frame(&f.Symbols[i]).withoutHash()
		}
		if known[what] == nil {
			known[what] = &sum{frame: what}
			all = append(all, known[what])
		}
		of[i] = known[what]
	}
	open := map[*sum]int{} // how many frames of each are on the way to the present node
	f.walk(func(at int32) {
		n := &f.Nodes[at]
		s := of[n.Symbol]
		s.self.Add(&n.Weights)
		if open[s] == 0 && at != profile.Root {
			s.total += f.totals[at].Instructions
		}
		if s.kind == profile.Entry && of[f.Nodes[n.Parent].Symbol].kind == profile.Await {
			of[f.Nodes[n.Parent].Symbol].messages += n.Calls
		}
		open[s]++
	}, func(at int32) { open[of[f.Nodes[at].Symbol]]-- })
	root := of[0]
	root.total = root.self.Instructions
	return slices.DeleteFunc(all, func(s *sum) bool { return s == root && s.self == (profile.Weights{}) })
}

// compareFrames orders frames by what people see of them.
func compareFrames(a, b *frame) int {
	return cmp.Or(
		cmp.Compare(a.canister, b.canister), cmp.Compare(a.name, b.name), cmp.Compare(a.kind, b.kind), cmp.Compare(a.entry, b.entry),
	)
}

// severalCanisters reports whether the code of more than one canister ran.
func severalCanisters(all []*sum) bool {
	first := ""
	for _, s := range all {
		if s.kind == profile.Await || s.canister == "" {
			continue
		}
		if first == "" {
			first = s.canister
		}
		if s.canister != first {
			return true
		}
	}
	return false
}
