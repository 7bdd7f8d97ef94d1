package ratio

import "testing"

func TestRunsOfSlowTurnsAreShort(t *testing.T) {
	n := 1 // b.Loop took it
	more(0, func() int { return n }, func() { n++ })
	if n != turns {
		t.Errorf("a run takes %d turns, want %d", n, turns)
	}
	n = turns + 10
	more(0, func() int { return n }, func() { n++ })
	if n != turns+10 {
		t.Errorf("a run that has enough turns takes %d more", n-turns-10)
	}
	more(turns+12, func() int { return n }, func() { n++ })
	if n != turns+12 {
		t.Errorf("a run that needs %d turns takes %d", turns+12, n)
	}
}
