package replicatest

import "github.com/canisterd/canisterd/replica"

// cancel makes a global timer inactive.
func (p *performer) cancel(words []string) {
	p.refused(p.stage.Apply(replica.CancelTimer{Canister: p.stage.ID(p.number(words[0]))}))
}
