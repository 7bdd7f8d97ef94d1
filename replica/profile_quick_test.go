//go:build !slow

package replica_test

// unprofiled are scripts that call small functions up to the limit of a query: with a profile they take a minute.
// make check-profiles includes them.
var unprofiled = []string{"queries_limits", "payloads", "subnets_calls"}
