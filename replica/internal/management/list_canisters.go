package management

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// listCanisters implements list_canisters, a query method for subnet admins: the ids of all
// canisters of the subnet, as ranges without gaps, in ascending order.
func listCanisters(c *state.ManagementCall, _ *nothing) state.Answer {
	if !c.State.Administered {
		return state.Fail(rejectNoAdmins(c.Method))
	}
	if reject := mustAdmin(c); reject != nil {
		return state.Fail(reject)
	}
	out := canistersResult{Canisters: []idRange{}}
	var last uint64
	for r := range c.State.Canisters.All() {
		id := r.ID()
		number, _ := id.CanisterNumber()
		if n := len(out.Canisters); n > 0 && number == last+1 {
			out.Canisters[n-1].End = id
		} else {
			out.Canisters = append(out.Canisters, idRange{id, id})
		}
		last = number
	}
	a := reply(out)
	a.Instructions = ListInstructions + ListCanisterInstructions*uint64(c.State.Canisters.Len())
	return a
}

// canistersResult is list_canisters_result.
type canistersResult struct {
	Canisters []idRange `ic:"canisters"`
}

// idRange is an inclusive range of canister ids.
type idRange struct {
	Start principal.Principal `ic:"start"`
	End   principal.Principal `ic:"end"`
}
