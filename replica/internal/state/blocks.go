package state

import "github.com/canisterd/canisterd/candid/principal"

// Blocks are the blocks that a subnet's nodes have made: one a round, the nodes take turns. The counts at the end of a
// day (UTC) are kept for some days (interface specification, "IC method node_metrics_history").
type Blocks struct {
	Nodes []NodeBlocks
	last  uint64 // ns, of the newest round; 0 before the first
	days  []Day
}

// NodeBlocks is the number of blocks that a node has made. No proposal ever fails.
type NodeBlocks struct {
	ID   principal.Principal
	Made uint64
}

// Day is the blocks that the nodes had made at a day's last round.
type Day struct {
	Time  uint64 // ns, of that round
	Nodes []NodeBlocks
}

const dayNanoseconds = 86_400_000_000_000

// Add counts the block of a round.
func (b *Blocks) Add(time, height uint64) {
	if b.last != 0 && b.last/dayNanoseconds < time/dayNanoseconds {
		if len(b.days) == MaxDays {
			b.days = append(b.days[:0], b.days[1:]...)
		}
		b.days = append(b.days, Day{b.last, append([]NodeBlocks(nil), b.Nodes...)})
	}
	b.last = time
	b.Nodes[height%uint64(len(b.Nodes))].Made++
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
