package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/refusal"
)

// SetVersion sets the version of a canister, which ic0.canister_version returns: a test control.
type SetVersion struct {
	Canister principal.Principal
	Version  uint64
}

func (SetVersion) input() {}

func (n *Network) setVersion(in SetVersion) Result {
	_, r := n.find(in.Canister)
	if r == nil {
		return refuse(refusal.NotFound, "canister %s does not exist: only the version of an existing canister can be set", in.Canister)
	}
	if r.Running { // its executor owns the version
		return refuse(refusal.Unavailable, "a message of canister %s is in the middle of its code: its version can be set when that is over", in.Canister)
	}
	r.Canister.Version = in.Version
	n.generation++
	return Result{}
}
