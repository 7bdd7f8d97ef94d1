package ratio

import (
	"testing"
	"time"
)

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

func TestTheProcessorTimeOfAServerCounts(t *testing.T) {
	server := time.Duration(0)
	takes := func(d time.Duration) Work {
		return Each(func() {
			server += d
			frozenSteps(1000)
		})
	}
	row := testing.Benchmark(func(b *testing.B) {
		CompareServed(b, 1, func() time.Duration { return server }, takes(3*time.Second), takes(time.Second))
	})
	if got := row.Extra["cpu-x"]; cpuTime() > 0 && (got < 2.9 || got > 3.1) {
		t.Errorf("the ratio of processor times is %.2f, want 3", got)
	}
}
