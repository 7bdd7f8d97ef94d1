package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/refusal"
)

// SetStableMemory sets the content of the stable memory of a canister, padded with zeros to a Wasm page: a test
// control. Nothing runs, and nothing is charged for it.
type SetStableMemory struct {
	Canister principal.Principal
	Content  []byte
}

func (SetStableMemory) input() {}

func (n *Network) setStableMemory(in SetStableMemory) Result {
	m, r := n.find(in.Canister)
	switch {
	case r == nil:
		return refuse(refusal.NotFound, "canister %s does not exist: only the memory of an existing canister can be set", in.Canister)
	case r.Canister.Module() == nil:
		return refuse(refusal.Conflict, "canister %s has no code, and so no stable memory: install a module first", in.Canister)
	case r.Running: // its executor owns the memories
		return refuse(refusal.Unavailable, "a message of canister %s is in the middle of its code: its memory can be set when that is over", in.Canister)
	}
	if err := r.Canister.SetStable(in.Content); err != nil {
		return refuse(refusal.Unavailable, "the stable memory of canister %s cannot be kept: %v", in.Canister, err)
	}
	m.Recount(r)
	m.Touch(r)
	m.TreeChanged = true
	n.generation++
	return Result{}
}
