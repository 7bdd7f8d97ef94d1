package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
)

// QueryCount is what queries of one canister add to its statistics (interface specification, "IC method
// canister_status", query_stats). Without calls it counts nothing.
type QueryCount struct {
	Canister principal.Principal
	canister.QueryStats
}

// QueryCounts are the queries since the last input of this kind: queries change no state, so their statistics come back
// as an input. canister_status shows them at once, the replica only after epochs of 600 rounds.
type QueryCounts []QueryCount

func (QueryCounts) input() {}

// countOf counts one execution of a query method. The callbacks of a composite query and their replies do not count.
func countOf(id principal.Principal, arg []byte, out *canister.Outcome) QueryCount {
	stats := canister.QueryStats{Calls: 1, Instructions: out.Instructions, RequestBytes: uint64(len(arg))}
	if out.Response != nil && out.Failure == nil {
		stats.ResponseBytes = uint64(len(out.Response.Reply))
	}
	return QueryCount{id, stats}
}

// countQueries adds to the statistics of canisters, except deleted ones.
func (n *Network) countQueries(counts QueryCounts) Result {
	for i := range counts {
		if _, r := n.find(counts[i].Canister); r != nil && counts[i].Calls > 0 {
			r.Canister.Queries.Add(&counts[i].QueryStats)
		}
	}
	return Result{}
}
