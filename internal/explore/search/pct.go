package search

import (
	"fmt"
	"math/rand/v2"
)

// PCT makes the moves of the chain with the highest priority, and lets priorities change at depth-1 points of a run
// (PCTCP: Ozkan et al., OOPSLA 2018). A chain is a sequence of moves each of which caused the next: the chains are made
// as moves appear. A bug that needs depth orderings between messages is found in a run with a chance of at least
// 1/(w²·n^(depth-1)), for n messages of which at most w are concurrent.
func PCT(depth int) Strategy {
	return Strategy{Name: fmt.Sprintf("pct-%d", depth), Begin: func(chance *rand.Rand, seen *Profile) Picker {
		p := &pct{chance: chance, chains: make(map[string]int), changes: make(map[int]bool)}
		for range depth - 1 {
			p.changes[chance.IntN(max(1, seen.Moves))] = true
		}
		return p
	}}
}

type pct struct {
	chance     *rand.Rand
	made       int            // moves
	changed    int            // priorities
	changes    map[int]bool   // the moves before which the highest priority falls
	chains     map[string]int // chain of each move that was seen, by name; a chain ends with the move that was made last
	priorities []uint64       // of chains
	ends       []string       // of chains
}

// Pick chooses the first move of the chain with the highest priority.
func (p *pct) Pick(moves []Move) int {
	best := p.highest(moves)
	if p.changes[p.made] {
		p.changed++
		// Below all that were drawn and all that have fallen before.
		p.priorities[p.chains[moves[best].Name]] = uint64(1)<<32 - uint64(p.changed)
		best = p.highest(moves)
	}
	p.made++
	return best
}

func (p *pct) highest(moves []Move) int {
	best, highest := 0, uint64(0)
	for i := range moves {
		if priority := p.priorities[p.chainOf(&moves[i])]; i == 0 || priority > highest {
			best, highest = i, priority
		}
	}
	return best
}

// chainOf returns the chain of a move. A new move continues the chain that ends with its cause, or begins a new chain
// with its own priority.
func (p *pct) chainOf(m *Move) int {
	if chain, known := p.chains[m.Name]; known {
		return chain
	}
	chain, known := p.chains[m.Cause]
	if m.Cause == "" || !known || p.ends[chain] != m.Cause {
		chain = len(p.ends)
		p.ends = append(p.ends, "")
		p.priorities = append(p.priorities, p.chance.Uint64()|1<<32)
	}
	p.ends[chain], p.chains[m.Name] = m.Name, chain
	return chain
}
