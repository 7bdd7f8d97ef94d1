package replicatest

// change switches to another network, and keeps the present one.
func (p *performer) change(words []string) {
	next, last, name := p.other(words[0]), p.stage, p.here
	delete(p.others, words[0])
	p.stage, p.here = next, words[0]
	p.keep(name, last)
	p.stage.Listen(p)
}
