package search

import "math/rand/v2"

// POS is partial order sampling (Yuan, Yang and Gu, CAV 2018): each move has a random priority, and the highest is made.
// The moves that do not commute with it draw again, so that the orders of moves at one receiver are drawn independently
// of what happens elsewhere.
func POS() Strategy {
	return Strategy{Name: "pos", Begin: func(chance *rand.Rand, _ *Profile) Picker {
		return &pos{chance: chance, priorities: make(map[string]uint64)}
	}}
}

type pos struct {
	chance     *rand.Rand
	priorities map[string]uint64 // of moves that are possible and not made
}

// Pick chooses the move with the highest priority.
func (p *pos) Pick(moves []Move) int {
	best, highest := 0, uint64(0)
	for i := range moves {
		priority, known := p.priorities[moves[i].Name]
		if !known {
			priority = p.chance.Uint64()
			p.priorities[moves[i].Name] = priority
		}
		if i == 0 || priority > highest {
			best, highest = i, priority
		}
	}
	for i := range moves {
		if i == best || !Commute(&moves[i], &moves[best]) {
			delete(p.priorities, moves[i].Name)
		}
	}
	return best
}
