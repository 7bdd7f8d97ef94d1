package replicatest

import (
	"fmt"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/introspect"
)

// contexts lists the open call contexts.
func (p *performer) contexts(words []string) {
	paged(p, words, p.stage.Introspect().Contexts, func(c *introspect.OpenContext) string {
		line := fmt.Sprintf("context %d: %s %s", c.ID, p.name(c.Canister), c.Method)
		switch c.Origin {
		case intercanister.FromIngress:
			line += " of the user"
		case intercanister.FromCanister:
			line += fmt.Sprintf(" of %s, %s", p.name(c.Sender), p.calls([]introspect.CallRef{c.Call}))
		case intercanister.FromSystem:
			line += " of the system"
		}
		if !c.Available.IsZero() {
			line += fmt.Sprintf(", %s cycles", c.Available)
		}
		for _, flag := range []struct {
			is   bool
			name string
		}{{c.Responded, "responded"}, {c.Deleted, "deleted"}, {c.Deadlocked, "deadlocked"}} {
			if flag.is {
				line += ", " + flag.name
			}
		}
		if len(c.Awaits) > 0 {
			line += ", awaits " + p.calls(c.Awaits)
		}
		return line
	})
}
