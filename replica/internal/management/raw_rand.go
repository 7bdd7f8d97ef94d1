package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// rawRand is raw_rand: 32 bytes of the subnet's random beacon.
func rawRand(c *state.Command, _ *nothing) state.Answer {
	random := c.State.Chance.Bytes32()
	return reply(random[:])
}
