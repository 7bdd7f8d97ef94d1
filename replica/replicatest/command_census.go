package replicatest

// census prints what is open.
func (p *performer) census([]string) {
	c := p.stage.Census()
	p.say("%d canisters, %d contexts, %d futures, %d waiting, %d parked", c.Canisters, c.Contexts, c.Futures, c.Waiting, c.Parked)
}
