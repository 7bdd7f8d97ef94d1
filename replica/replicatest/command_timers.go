package replicatest

import (
	"fmt"

	"github.com/canisterd/canisterd/replica/introspect"
)

// timers lists what happens automatically, and which canisters have a heartbeat.
func (p *performer) timers(words []string) {
	paged(p, words, p.stage.Introspect().Timers, func(t *introspect.PendingTimer) string {
		line := fmt.Sprintf("%s %s", since(t.Due), t.Kind)
		if t.Canister.Len() > 0 {
			line += " of " + p.name(t.Canister)
		}
		return line
	})
	for _, id := range p.stage.Introspect().Heartbeats() {
		p.say("every round: heartbeat of %s", p.name(id))
	}
}
