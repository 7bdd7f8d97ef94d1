//go:build slow

package replica_test

// slowScripts is empty: every script runs in each way.
var slowScripts []string
