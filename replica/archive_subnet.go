package replica

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/timers"
)

// archive writes the state of a subnet without its canisters, or reads it into a new subnet that already has them.
// modules holds the modules of its installations.
func (s *subnet) archive(c *archive.Coder, modules *canister.Modules) {
	if c.Reading() {
		s.Deadlines = timers.Table{}
	}
	s.State.Archive(c, modules)
	s.longest = charging.LongestOf(&s.State)
	c.Check(s.longest[0].Hi == 0 && s.longest[1].Hi == 0, "a message may run %d instructions: no canister can pay for them", s.Limits.Message)
	if c.Reading() && !c.Failed() {
		s.restart()
		for _, j := range s.paused {
			j.check(c)
		}
		s.checkArchived(c)
	}
}
