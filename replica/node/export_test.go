package node

import "context"

// Waiters is how many wait for an answer.
func (n *Node) Waiters() (waiting int) {
	n.ask(context.Background(), func(n *Node) {
		for _, list := range n.waiters {
			waiting += len(list)
		}
	})
	return waiting
}
