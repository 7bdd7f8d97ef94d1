package introspect

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Network is a network at rest.
type Network struct {
	Subnets  []*Subnet                     // by position
	Find     func(principal.Principal) int // position of the subnet that hosts a canister; -1: none does
	Rules    *state.Rules
	Deleted  *state.CycleTotals // of subnets that were deleted
	Time     uint64             // ns, of the last round
	Height   uint64
	Open     bool   // a round has begun and not ended
	NextTime uint64 // ns, of the next round
}

// Subnet is one subnet of a network.
type Subnet struct {
	*state.State
	Kind     string
	Position int
	net      *Network
}

// Add adds the next subnet.
func (n *Network) Add(kind string, s *state.State) {
	n.Subnets = append(n.Subnets, &Subnet{State: s, Kind: kind, Position: len(n.Subnets), net: n})
}

// find returns a canister and the subnet that hosts it; nil if there is none.
func (n *Network) find(id principal.Principal) (*Subnet, *state.Entry) {
	i := n.Find(id)
	if i < 0 {
		return nil, nil
	}
	return n.Subnets[i], n.Subnets[i].Canisters.Get(id)
}
