package campaign

import "slices"

// generations divides drawn runs, so that guidance does not depend on the number of workers. A run begins like one that
// the guide kept from runs at least two generations earlier:
//
//	generation    0      1      2      3      4      5
//	runs         0–15  16–31  32–47  48–63  64–79  80–99  …
//	knows of       –      –    0–15   0–31   0–47   0–63  …
//
// So the runs of a generation may begin while those of the previous generation are in progress, and no worker waits. A
// generation is a quarter as long as all earlier ones together, and at least firstGeneration.
type generations[K any] struct {
	begins []int // the first run of each, and the number of all runs
	known  [][]K // what the runs of a generation know; written before they may begin
	taken  int   // runs that were learned from
}

func newGenerations[K any](count int) *generations[K] {
	s := new(generations[K])
	for first := 0; first < count; first += max(firstGeneration, first/4) {
		s.begins = append(s.begins, first)
	}
	s.begins = append(s.begins, count)
	s.known = make([][]K, len(s.begins)+1)
	return s
}

// begin says what the guide had kept before the first run.
func (s *generations[K]) begin(kept []K) { s.known[0], s.known[1] = kept, kept }

// of returns the generation of a run.
func (s *generations[K]) of(run int) int {
	number, first := slices.BinarySearch(s.begins, run)
	if !first {
		number--
	}
	return number
}

// learned says that the guide has learned from the next run. Kept is what it has kept so far.
func (s *generations[K]) learned(kept []K) {
	s.taken++
	if number := s.of(s.taken); s.begins[number] == s.taken {
		s.known[number+1] = kept
	}
}

// knownTo returns what a run knows.
func (s *generations[K]) knownTo(run int) []K { return s.known[s.of(run)] }

// ready returns how many runs may begin after the results of some were taken: also those of the next generation.
func (s *generations[K]) ready(taken int) int {
	return s.begins[min(s.of(taken)+2, len(s.begins)-1)]
}
