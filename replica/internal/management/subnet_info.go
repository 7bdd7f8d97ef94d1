package management

import "github.com/canisterd/canisterd/replica/internal/state"

// subnetInfo implements subnet_info: the versions of replica and registry of a subnet. The registry of a network is
// made once and never changes.
func subnetInfo(c *state.ManagementCall, a *subnetInfoArg) state.Answer {
	if a.Subnet != c.State.ID {
		return state.Fail(rejectOtherSubnet(a.Subnet, c.State.ID))
	}
	return reply(subnetInfoResult{c.Host.Version(), RegistryVersion})
}
