//go:build race

package journal_test

// Under the race detector, which makes each open of a directory ten times slower, a test makes every third operation
// fail, and damages each file in one place. All are tried without it.
const (
	stride       = 3
	usualSamples = 1
)
