package replicatest

import "github.com/canisterd/canisterd/replica"

// fire makes a global timer due in the next round.
func (p *performer) fire(words []string) {
	p.refused(p.stage.Apply(replica.FireTimer{Canister: p.stage.ID(p.number(words[0]))}))
}
