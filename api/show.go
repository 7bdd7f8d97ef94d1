package api

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
)

// Show returns the view of a node for front ends; v must not be nil. A Backend around a node differs from it by this,
// its clock, and its types of receipts.
func Show(v *replica.View) View { return shown{v} }

type shown struct{ view *replica.View }

func (s shown) Height() uint64            { return s.view.Height }
func (s shown) RootKey() []byte           { return s.view.RootKey }
func (s shown) Root() principal.Principal { return s.view.Root().ID }

func (s shown) Host(canister principal.Principal) (subnet principal.Principal, ok bool) {
	if found := s.view.SubnetOf(canister); found != nil {
		return found.ID, true
	}
	return principal.Principal{}, false
}

func (s shown) DefaultCanister() principal.Principal { return s.view.DefaultCanister() }

func (s shown) Certified(subnet principal.Principal) *certify.SignedState {
	if found := s.view.Subnet(subnet); found != nil {
		return found.Certified()
	}
	return nil
}

func (s shown) Delegation(subnet principal.Principal, layout certify.RangesLayout) *certify.Delegation {
	return s.view.Delegation(s.view.Subnet(subnet), layout)
}

func (s shown) Dated(by int64) View { return shown{s.view.Dated(by)} }

func (s shown) Request(subnet principal.Principal, id RequestID) (sender, receiver, effective principal.Principal, ok bool) {
	return s.view.Request(subnet, id)
}

func (s shown) Private(canister principal.Principal, section string) bool {
	return s.view.Private(canister, section)
}

func (s shown) NodeKey(subnet principal.Principal) *certify.NodeKey {
	return s.view.Subnet(subnet).Nodes[0]
}
