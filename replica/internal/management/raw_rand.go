package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// rawRand implements raw_rand: 32 bytes of the subnet's random beacon, drawn in the next round, so that they are
// unknown when the call is executed.
func rawRand(*state.ManagementCall, *nothing) state.Answer {
	return state.Later().After(state.AnswerNextRound, nil)
}

// drawRand answers raw_rand.
func drawRand(st *state.State) state.Answer {
	random := st.RandomBeacon.Bytes32()
	return reply(random[:])
}
