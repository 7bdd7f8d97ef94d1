package state

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
)

// After are at most so many canisters whose ids come after one, in the order of their
// ids. It is good until a canister comes or goes.
func (s *Residents) After(id principal.Principal, most int) []*Resident {
	at, found := slices.BinarySearchFunc(s.order, id, byID)
	if found {
		at++
	}
	return s.order[at:min(len(s.order), at+most)]
}
