package campaign

import (
	"math/rand/v2"
	"slices"
)

// generations divides drawn runs, so that guidance does not depend on the number of workers. A run begins like one that
// the guide kept from runs at least two generations earlier:
//
//	generation    0      1      2      3      4      5
//	runs         0–15  16–31  32–47  48–63  64–79  80–99  …
//	knows of       –      –    0–15   0–31   0–47   0–63  …
//
// So the runs of a generation may begin while those of the previous generation are in progress, and no worker waits. A
// generation is a quarter as long as all earlier ones together, and at least firstGeneration.
type generations struct {
	guide  *guide
	begins []int      // the first run of each, and the number of all runs
	known  []keptRuns // what the runs of a generation know; written before they may begin
	taken  int        // runs that were learned from
}

func newGenerations(g *guide, count int) *generations {
	s := &generations{guide: g}
	for first := 0; first < count; first += max(firstGeneration, first/4) {
		s.begins = append(s.begins, first)
	}
	s.begins = append(s.begins, count)
	s.known = make([]keptRuns, len(s.begins)+1)
	return s
}

// of returns the generation of a run.
func (s *generations) of(run int) int {
	number, first := slices.BinarySearch(s.begins, run)
	if !first {
		number--
	}
	return number
}

// learn learns from the next run.
func (s *generations) learn(o *outcome) {
	s.guide.learn(o)
	s.taken++
	if number := s.of(s.taken); s.begins[number] == s.taken {
		s.known[number+1] = s.guide.kept
	}
}

// lead makes a run begin like one that it knows.
func (s *generations) lead(run int, j *Job, chance *rand.Rand) {
	s.known[s.of(run)].lead(j, chance)
}

// ready returns how many runs may begin after the results of some were taken: also those of the next generation.
func (s *generations) ready(taken int) int { return s.begins[min(s.of(taken)+2, len(s.begins)-1)] }
