package replicatest

import "github.com/canisterd/canisterd/replica"

// advance moves the time of the next round.
func (p *performer) advance(words []string) {
	p.stage.Apply(replica.AdvanceTo(p.stage.View().Time + uint64(p.number(words[0]))*1_000_000_000))
}
