package replicatest

// canister prints the properties of a canister.
func (p *performer) canister(words []string) {
	n := p.number(words[0])
	c := p.stage.Canister(p.stage.ID(n))
	if c == nil {
		p.say("c%d does not exist", n)
		return
	}
	p.say("c%d is %s, version %d, counted %d", n, c.Status, c.Version, Count(c))
}
