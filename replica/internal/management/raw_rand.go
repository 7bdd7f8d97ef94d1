package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// rawRand implements raw_rand: 32 bytes of the subnet's random beacon, drawn in the next round, so that they are
// unknown when the call is executed.
func rawRand(c *state.ManagementCall, _ *nothing) state.Answer {
	c.Host.NextRound(c.Ticket(), c.Method)
	return state.Later()
}

// drawRand answers raw_rand.
func drawRand(st *state.State) state.Answer {
	random := st.RandomBeacon.Bytes32()
	return reply(random[:])
}
