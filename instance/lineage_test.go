package instance

import "testing"

func TestALineageKeepsTheOldestNetworkAndTheNewest(t *testing.T) {
	if MaxAncestors != 1000 {
		t.Errorf("an instance remembers %d networks, want 1000", MaxAncestors)
	}
	var l lineage
	l.begin(nil)
	oldest := l.id
	for height := range uint64(MaxAncestors) + 5 {
		l.begin(l.at(height))
	}
	if n := len(l.ancestors); n != MaxAncestors || l.ancestors[0].NetworkID != oldest || l.ancestors[1].Height != 6 || l.ancestors[n-1].Height != MaxAncestors+4 {
		t.Errorf("%d ancestors, from %v and %v to %v", n, l.ancestors[0], l.ancestors[1], l.ancestors[n-1])
	}
}
