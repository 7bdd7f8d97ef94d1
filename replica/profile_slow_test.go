//go:build slow

package replica_test

// unprofiled is empty: every script is profiled.
var unprofiled []string
