package export

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/textwidth"
)

// Tree returns the call tree of a profile as indented lines, each with the instructions of a frame with and without
// those below. It leaves out frames with less than a share of all instructions (0.01: a hundredth), and those deeper
// than MaxTreeDepth, and says how many.
func Tree(p *profile.Profile, names Names, share float64) string {
	f := newForest(p)
	d := &drawing{forest: f, labels: make([]string, len(f.Symbols)), least: share * float64(f.all())}
	d.table = table{head: []string{"total", "total%", "self", "frame"}, left: 1}
	for i := range f.Symbols {
		d.labels[i] = textwidth.Fit(names.frame(&f.Symbols[i]).label(), MaxCells)
	}
	if root := &f.Nodes[profile.Root]; root.Instructions > 0 {
		d.line(root.Instructions, root.Instructions, unplaced)
	}
	d.below(profile.Root, "", 0)
	return fmt.Sprintf("%s in %s\n\n", counted(f.all(), "instruction"), counted(f.Messages, "message")) + d.table.String()
}

// drawing is a tree in the making.
type drawing struct {
	*forest
	table  table
	labels []string
	least  float64 // the instructions from which a frame is shown
}

func (d *drawing) line(total, self uint64, text string) {
	d.table.add(grouped(total), percent(total, d.all()), grouped(self), text)
}

// below draws what is below a node.
func (d *drawing) below(parent int32, before string, depth int) {
	var shown []int32
	hidden, rest := uint64(0), uint64(0)
	for i := d.first[parent]; i != 0; i = d.next[i] {
		if n := d.totals[i].Instructions; depth == MaxTreeDepth || float64(n) < d.least {
			hidden, rest = hidden+1, rest+n
			continue
		}
		shown = append(shown, i)
	}
	slices.SortStableFunc(shown, func(a, b int32) int {
		return cmp.Or(
			cmp.Compare(d.totals[b].Instructions, d.totals[a].Instructions),
			cmp.Compare(d.labels[d.Nodes[a].Symbol], d.labels[d.Nodes[b].Symbol]),
		)
	})
	for at, i := range shown {
		first, further := "├─ ", "│  "
		if at == len(shown)-1 && hidden == 0 {
			first, further = "└─ ", "   "
		}
		if depth == 0 {
			first, further = "", ""
		}
		n := &d.Nodes[i]
		text := before + first + d.labels[n.Symbol]
		if n.Calls > 1 {
			text += " ×" + grouped(n.Calls)
		}
		d.line(d.totals[i].Instructions, n.Instructions, text)
		d.below(i, before+further, depth+1)
	}
	if hidden == 0 {
		return
	}
	text := fmt.Sprintf("… %s more", grouped(hidden))
	if depth == MaxTreeDepth {
		text = fmt.Sprintf("… %s too deep", counted(hidden, "frame"))
	}
	if depth > 0 {
		text = "└─ " + text
	}
	d.table.add(grouped(rest), percent(rest, d.all()), "", before+text)
}
