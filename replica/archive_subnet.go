package replica

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/timers"
)

// archive writes what a subnet has beside its canisters, or reads it into a subnet that
// was just made and has them. modules have what its installations bring.
func (m *subnet) archive(c *archive.Coder, modules *canister.Modules) {
	if c.Reading() {
		m.Deadlines = timers.Table{}
	}
	m.State.Archive(c, modules)
	m.priceExecutions()
	c.Check(m.prepaid[0].Hi == 0 && m.prepaid[1].Hi == 0, "a message may run %d instructions: nobody can pay for them", m.Limits.Message)
	if c.Reading() && !c.Failed() {
		m.restart()
		for _, j := range m.paused {
			j.check(c)
		}
		m.checkArchived(c)
	}
}
