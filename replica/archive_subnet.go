package replica

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/timers"
)

// archive writes the state of a subnet without its canisters, or reads it into a new subnet that already has them.
// modules holds the modules of its installations.
func (m *subnet) archive(c *archive.Coder, modules *canister.Modules) {
	if c.Reading() {
		m.Deadlines = timers.Table{}
	}
	m.State.Archive(c, modules)
	m.longest = charging.LongestOf(&m.State)
	c.Check(m.longest[0].Hi == 0 && m.longest[1].Hi == 0, "a message may run %d instructions: no canister can pay for them", m.Limits.Message)
	if c.Reading() && !c.Failed() {
		m.restart()
		for _, j := range m.paused {
			j.check(c)
		}
		m.checkArchived(c)
	}
}
