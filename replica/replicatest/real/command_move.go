package real

import "github.com/canisterd/canisterd/replica"

// move migrates a canister to another subnet.
func (p *performer) move(rest string) {
	name, subnet := cut(rest)
	p.applied(replica.MigrateCanister{Canister: p.ID(name), Subnet: p.ID(subnet)})
}

// rename gives a canister the id of another.
func (p *performer) rename(rest string) {
	name, to := cut(rest)
	p.applied(replica.RenameCanister{Canister: p.ID(name), To: p.ID(to), RequestedBy: p.User})
}

// deleteSubnet deletes a subnet.
func (p *performer) deleteSubnet(name string) {
	p.applied(replica.DeleteSubnet{Subnet: p.ID(name)})
}

// applied applies an input and prints why it was not accepted.
func (p *performer) applied(in replica.Input) {
	if r := p.Apply(in); r.Refusal != nil {
		p.say("%s", printable("refused: "+r.Refusal.Text))
	}
}
