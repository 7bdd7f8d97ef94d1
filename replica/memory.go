package replica

import "github.com/canisterd/canisterd/replica/internal/state"

// The memory of a subnet's canisters: what they use, or what is allocated to them.

// recount brings what is known of the memory of a canister up to date.
func (m *subnet) recount(r *state.Entry) {
	if r.Gone {
		return
	}
	now := r.Canister.Holdings().Memory
	m.MemoryUsed, r.Counted = m.MemoryUsed-r.Counted+now, now
}

// uncount forgets the memory of a canister that is gone.
func (m *subnet) uncount(r *state.Entry) { m.MemoryUsed, r.Counted = m.MemoryUsed-r.Counted, 0 }

// refreshTarget updates what a command may have changed of the canister it was about: the
// memory that is counted for it and its low-memory hook.
func (m *subnet) refreshTarget(c *state.Command) {
	r := c.Target
	if r == nil {
		id, _, reject := m.net.management.Effective(c.Method, c.Arg)
		if reject != nil {
			return
		}
		r = m.Canisters.Get(id)
	}
	if r == nil || r.Gone || r.Running {
		return
	}
	m.recount(r)
	m.hook(r)
	m.Ready.Add(&r.Mailbox)
}
