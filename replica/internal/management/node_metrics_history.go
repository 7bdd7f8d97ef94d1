package management

import (
	"slices"

	"github.com/canisterd/canisterd/replica/internal/state"
)

// nodeMetricsHistory is node_metrics_history: how many blocks each node had made
// by the end of each day since a time. The day that is not over is not shown, nor
// a node that has made none.
func nodeMetricsHistory(c *state.Command, a *nodeMetricsArg) state.Answer {
	if a.Subnet != c.State.ID {
		return state.Fail(rejectOtherSubnet(a.Subnet, c.State.ID))
	}
	var days []nodeMetricsDay
	for _, day := range c.State.Blocks.Since(a.Start) {
		shown := nodeMetricsDay{Time: day.Time}
		for _, n := range day.Nodes {
			if n.Made > 0 {
				shown.Nodes = append(shown.Nodes, nodeMetrics{Node: n.ID, Made: n.Made})
			}
		}
		slices.SortFunc(shown.Nodes, func(a, b nodeMetrics) int { return a.Node.Compare(b.Node) })
		days = append(days, shown)
	}
	return reply(days)
}
