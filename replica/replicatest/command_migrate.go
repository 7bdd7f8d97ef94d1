package replicatest

import "github.com/canisterd/canisterd/replica"

// migrate moves a canister to the subnet at a position.
func (p *performer) migrate(words []string) {
	to := p.stage.View().Subnets[p.number(words[1])].ID
	p.refused(p.stage.Apply(replica.MigrateCanister{Canister: p.stage.ID(p.number(words[0])), Subnet: to}))
}
