package replicatest

// change goes on in another network; the present one stands still.
func (p *performer) change(words []string) {
	next, last, name := p.other(words[0]), p.stage, p.here
	delete(p.others, words[0])
	p.stage, p.here = next, words[0]
	p.keep(name, last)
	p.stage.Listen(p)
}
