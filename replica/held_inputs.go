package replica

import (
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/faults"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// ReleaseHeld delivers a held message as if it came now: no rule is applied to it again. It is refused as not found if
// there is none, as a conflict if an earlier request of the same two canisters is held: the network keeps their order.
type ReleaseHeld struct{ ID uint64 }

// DropHeld loses a held message. It is refused as not found if there is none, as a conflict if it belongs to a call
// with guaranteed response. A user's message keeps the status "received" until it expires.
type DropHeld struct{ ID uint64 }

// SettleHeld answers the call of a held message; for a held response it replaces that response. Attached cycles, or the
// refund, return with it. It is refused as not found if the message does not exist, as invalid if no caller can receive
// this answer, as a conflict if the caller cannot receive SYS_UNKNOWN.
type SettleHeld struct {
	ID     uint64
	Answer Settlement
}

// Settlement is an answer in place of a callee: a reply, a reject, or SYS_UNKNOWN.
type Settlement = faults.Settlement

func (ReleaseHeld) input() {}
func (DropHeld) input()    {}
func (*SettleHeld) input() {}

func (n *Network) releaseHeld(in ReleaseHeld) Result {
	return n.decideHeld(in.ID, (*faults.Injector).Release)
}

func (n *Network) dropHeld(in DropHeld) Result {
	return n.decideHeld(in.ID, (*faults.Injector).Drop)
}

func (n *Network) settleHeld(in *SettleHeld) Result {
	return n.decideHeld(in.ID, func(i *faults.Injector, h *state.Held) ([]faults.Decision, *refusal.Refusal) {
		return i.Answer(h, &in.Answer)
	})
}

// decideHeld applies a user's decision about a held message.
func (n *Network) decideHeld(id uint64, decide func(*faults.Injector, *state.Held) ([]faults.Decision, *refusal.Refusal)) Result {
	for _, s := range n.subnets {
		h := s.Held.Find(id)
		if h == nil {
			continue
		}
		decisions, refused := decide(&s.faults, h)
		if refused != nil {
			return Result{Refusal: refused}
		}
		s.applyDecisions(decisions...)
		n.generation++
		return Result{}
	}
	return refuse(refusal.NotFound, "no message %d is held: it was released, dropped or settled, has expired, or never was", id)
}
