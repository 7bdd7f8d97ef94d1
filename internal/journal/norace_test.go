//go:build !race

package journal_test

const (
	stride       = 1 // from the operation that fails to the next
	usualSamples = 3 // places in which each file is damaged
)
