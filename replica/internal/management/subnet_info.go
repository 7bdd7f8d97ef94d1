package management

import "github.com/canisterd/canisterd/replica/internal/state"

// subnetInfo is subnet_info: which versions of replica and registry a subnet
// has. The registry of a network is made once and never changes.
func subnetInfo(c *state.Command, a *subnetInfoArg) state.Answer {
	if a.Subnet != c.State.ID {
		return state.Fail(rejectOtherSubnet(a.Subnet, c.State.ID))
	}
	return reply(subnetInfoResult{c.Host.Version(), RegistryVersion})
}
