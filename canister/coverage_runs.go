package canister

import (
	"bytes"
	"math/bits"
	"slices"
)

// NewRunCoverage returns a coverage of what ran since TakeRan was last called. It is for canisters that run one message at a
// time, whose owner takes the blocks of each.
func NewRunCoverage() *Coverage { return &Coverage{modules: map[[32]byte]*covered{}, perRun: true} }

// RanBlocks are blocks of a module that ran, as the numbers of their bits in ascending order. Blocks of which each runs
// whenever the other does may share a bit.
type RanBlocks struct {
	Module [32]byte // as module_hash
	Bits   []uint32
}

// TakeRan returns which blocks ran since it was last called, by hash of the module. The coverage is of NewRunCoverage.
func (c *Coverage) TakeRan() (all []RanBlocks) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for hash, m := range c.modules { // in any order: the result is sorted
		var ran []uint32
		for i := range m.ran {
			if m.ran[i].Load() == 0 {
				continue
			}
			for word := m.ran[i].Swap(0); word != 0; word &= word - 1 {
				ran = append(ran, uint32(64*i+bits.TrailingZeros64(word)))
			}
		}
		if ran != nil {
			all = append(all, RanBlocks{hash, ran})
		}
	}
	slices.SortFunc(all, func(a, b RanBlocks) int { return bytes.Compare(a.Module[:], b.Module[:]) })
	return all
}

// clearedBetweenRuns reports whether TakeRan clears the words of a coverage; c may be nil.
func (c *Coverage) clearedBetweenRuns() bool { return c != nil && c.perRun }
