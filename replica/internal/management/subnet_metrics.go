package management

import (
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// instructionUnit is the unit of instructions in subnet_metrics.
const instructionUnit = 1_000_000

// subnetMetrics implements subnet_metrics: the height is the height of this round; everything else is as in the
// certified state at the end of the previous round.
func subnetMetrics(c *state.ManagementCall, a *subnetInfoArg) state.Answer {
	if a.Subnet != c.State.ID {
		return state.Fail(rejectOtherSubnet(a.Subnet, c.State.ID))
	}
	m, instructions := c.Host.Metrics()
	consumed := cycles.Amount{Hi: m.ConsumedCyclesHigh, Lo: m.ConsumedCyclesLow}
	return reply(subnetMetricsResult{
		Height: uint(c.State.Height), Canisters: uint(m.Canisters), StateBytes: uint(m.StateBytes),
		Consumed: natOf(consumed), Transactions: uint(m.UpdateTransactions),
		Instructions: uint((instructions + instructionUnit - 1) / instructionUnit),
	})
}
