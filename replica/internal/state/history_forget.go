package state

import (
	"github.com/canisterd/canisterd/internal/cow"
	"github.com/canisterd/canisterd/timers"
)

// Forget prunes an answered message early. No reference to its number may remain, and it must be impossible to send it
// again. The pruned record may be read until the next Receive.
func (h *History) Forget(r *Ingress, deadlines *timers.Table) *Ingress {
	if !r.Status.Terminal() {
		panic("state: a message is forgotten that is not answered")
	}
	deadlines.Remove(r.deadline)
	r = h.own(r)
	r.deadline = 0
	h.prune(r)
	if h.order.Len() > forgottenAnswers+2*h.Len() {
		h.compact()
	}
	return r
}

// compact removes forgotten answers from the order: a kept one may precede any number of them.
func (h *History) compact() {
	var kept cow.List[answer]
	for i := range h.order.Len() {
		if a := h.order.At(i); h.answered(a) != nil {
			kept.Push(a)
		}
	}
	h.order = kept
}
