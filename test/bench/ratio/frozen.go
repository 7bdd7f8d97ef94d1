package ratio

import (
	"slices"
	"testing"
)

// frozenTurns is how often the work of a frozen floor is timed.
const frozenTurns = 15

// result keeps the compiler from leaving out the work of a frozen floor.
var result uint64

// Frozen is a floor of the past: it takes as many steps as the work that a row was compared with when its limit was set.
// It is for rows whose floor does not take the same time in each run.
func Frozen(steps int) Work {
	return func(n int) { frozenSteps(n * steps) }
}

// ReportFrozen reports the ratio of what a row measured to a floor of the past: as many steps as its floor took when its
// limit was set. A step is a multiplication of the result of the step before, so it changes with the machine but never
// with the product. A row whose floor became faster shows by this ratio whether what it measures became slower.
func ReportFrozen(b *testing.B, steps int, measured float64) {
	b.Helper()
	b.ReportMetric(measured/(float64(steps)*stepTime()), "frozen-x")
}

// stepTime is the time of a step, in nanoseconds.
func stepTime() float64 {
	n := fill(frozenSteps)
	times := make([]float64, frozenTurns)
	for i := range times {
		times[i] = per(frozenSteps, n)
	}
	return slices.Min(times)
}

func frozenSteps(n int) {
	const odd = 0x9e3779b97f4a7c15
	x := result | 1
	for range n {
		x *= odd
		x ^= x >> 32
	}
	result = x
}
