package node

import "context"

// Waiters is how many wait for an answer.
func (n *Node) Waiters() (waiting int) {
	n.ask(context.Background(), func(n *Node) {
		for _, list := range n.waiters {
			for ; list != nil; list = list.next {
				waiting++
			}
		}
	})
	return waiting
}

// Ring is what the recorder keeps: events, bytes by its own count, and room for events.
func (n *Node) Ring() (events, bytes, room int) {
	r := &n.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.chunks {
		room += cap(c.events)
	}
	return r.events, r.bytes, room
}
