package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// canisterMetrics implements canister_metrics, as a call and as a query: what the canister has paid so far, by use.
func canisterMetrics(c *state.ManagementCall, a *idArg) state.Answer {
	r, reject := controlledCanister(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	used := &r.Canister.Consumed
	return reply(metricsResult{consumed{
		Memory:       natOf(used.Memory),
		Compute:      natOf(used.Compute),
		Ingress:      natOf(used.Ingress),
		Instructions: natOf(used.Instructions),
		Transmission: natOf(used.Transmission),
		Uninstall:    natOf(used.Uninstall),
		Creation:     natOf(used.Creation),
		Outcalls:     natOf(used.Outcalls),
		Burned:       natOf(used.Burned),
	}})
}
