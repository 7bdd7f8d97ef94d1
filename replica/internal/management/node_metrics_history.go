package management

import (
	"slices"

	"github.com/canisterd/canisterd/replica/internal/state"
)

// nodeMetricsHistory implements node_metrics_history: how many blocks each node had made by the end of each day since a
// time. It omits the present day, and nodes that have made none.
func nodeMetricsHistory(c *state.ManagementCall, a *nodeMetricsArg) state.Answer {
	if a.Subnet != c.State.ID {
		return state.Fail(rejectOtherSubnet(a.Subnet, c.State.ID))
	}
	var days []nodeMetricsDay
	for _, day := range c.State.Blocks.Since(a.Start) {
		shown := nodeMetricsDay{Time: day.Time}
		for i, made := range day.Made {
			if made > 0 {
				shown.Nodes = append(shown.Nodes, nodeMetrics{Node: c.State.Blocks.Nodes[i], Made: made})
			}
		}
		slices.SortFunc(shown.Nodes, func(a, b nodeMetrics) int { return a.Node.Compare(b.Node) })
		days = append(days, shown)
	}
	return reply(days)
}
