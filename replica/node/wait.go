package node

import (
	"context"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// enlist makes a waiter wait for an answer, or wakes it where the answer is
// there. It is false where the message is unknown.
func (n *Node) enlist(ctx context.Context, subnet principal.Principal, id replica.RequestID, w *waiter) bool {
	status := n.network.IngressStatus(subnet, id)
	switch {
	case status == 0:
		return false
	case status.Terminal() && n.network.Shown(subnet, id):
		close(w.done)
	case ctx.Err() == nil:
		n.waiters[id] = append(n.waiters[id], w)
	}
	return true
}

// strike makes a waiter wait no longer. It does not wait for the owner.
func (n *Node) strike(id replica.RequestID, w *waiter) {
	go n.tell(func(n *Node) {
		rest := slices.DeleteFunc(n.waiters[id], func(o *waiter) bool { return o == w })
		if len(rest) == 0 {
			delete(n.waiters, id)
		} else {
			n.waiters[id] = rest
		}
	})
}

func (n *Node) wakeAll(id replica.RequestID) {
	for _, w := range n.waiters[id] {
		close(w.done)
	}
	delete(n.waiters, id)
}
