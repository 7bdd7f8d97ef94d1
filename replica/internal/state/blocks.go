package state

import (
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
)

// Blocks are the blocks that a subnet's nodes have made: one a round, the nodes take turns. The counts at the end of a
// day (UTC) are kept for some days (interface specification, "IC method node_metrics_history").
type Blocks struct {
	Nodes []principal.Principal // never written: the networks of a process share them
	made  []uint64              // by each of Nodes; no proposal ever fails
	last  uint64                // ns, of the newest round; 0 before the first
	days  []Day
}

// Day is the blocks that the nodes had made at a day's last round.
type Day struct {
	Time uint64   // ns, of that round
	Made []uint64 // by each of Nodes
}

// NewBlocks returns the blocks of nodes that have made none. It keeps the slice.
func NewBlocks(nodes []principal.Principal) Blocks {
	return Blocks{Nodes: nodes, made: make([]uint64, len(nodes))}
}

const dayNanoseconds = 86_400_000_000_000

// Add counts the block of a round.
func (b *Blocks) Add(time, height uint64) {
	if b.last != 0 && b.last/dayNanoseconds < time/dayNanoseconds {
		if len(b.days) == MaxDays {
			b.days = append(b.days[:0], b.days[1:]...)
		}
		b.days = append(b.days, Day{b.last, slices.Clone(b.made)})
	}
	b.last = time
	b.made[height%uint64(len(b.made))]++
}

// Since returns the days that have ended and whose last round was at a time or later, the oldest first.
func (b *Blocks) Since(time uint64) []Day {
	for i := range b.days {
		if b.days[i].Time >= time {
			return b.days[i:]
		}
	}
	return nil
}

func (b *Blocks) archive(c *archive.Coder) {
	nodes := len(b.Nodes)
	b.archiveMade(c, &b.made)
	c.Check(len(b.made) == nodes, "a subnet of %d nodes has the blocks of %d", nodes, len(b.made))
	archive.Number(c, &b.last)
	archive.Slice(c, &b.days, MaxDays, func(d *Day) {
		archive.Number(c, &d.Time)
		b.archiveMade(c, &d.Made)
		c.Check(len(d.Made) == nodes, "a subnet of %d nodes has the blocks of %d", nodes, len(d.Made))
	})
}

// archiveMade writes how many blocks each node had made, after its id.
func (b *Blocks) archiveMade(c *archive.Coder, made *[]uint64) {
	i := 0
	archive.Slice(c, made, len(b.Nodes), func(n *uint64) {
		id := b.Nodes[i]
		c.Principal(&id)
		c.Check(id == b.Nodes[i], "a subnet has the blocks of node %s in place of %s", id, b.Nodes[i])
		archive.Number(c, n)
		i++
	})
}
