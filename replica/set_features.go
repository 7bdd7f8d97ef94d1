package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/refusal"
)

// SetFeatures gives a canister features beyond those of the network: a test control. They stay until they are set again
// or the canister is uninstalled. Existing code keeps running.
type SetFeatures struct {
	Canister principal.Principal
	Features canister.Features
}

func (SetFeatures) input() {}

func (n *Network) setFeatures(in SetFeatures) Result {
	_, r := n.find(in.Canister)
	switch {
	case r == nil:
		return refuse(refusal.NotFound, "canister %s does not exist: only an existing canister can have features", in.Canister)
	case in.Features > canister.AllFeatures:
		return refuse(refusal.Invalid, "features %#x: the features are %v", in.Features, canister.AllFeatures.Names())
	}
	r.Canister.Features = in.Features
	n.generation++
	return Result{}
}
