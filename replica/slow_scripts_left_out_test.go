//go:build !slow

package replica_test

// slowScripts move hundreds of MB, or call small functions up to the limit of a query. They run once, and not also with
// a profile, with coverage, and in imported and recovered networks, where they take longer than all others together. make
// check-slow-scripts runs them there.
var slowScripts = []string{"payloads", "queries_limits", "rate_limits", "subnets_calls", "system_limits"}
