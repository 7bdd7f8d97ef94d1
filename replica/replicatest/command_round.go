package replicatest

// round runs some rounds, one if no number is given.
func (p *performer) round(words []string) {
	count := 1
	if len(words) > 0 {
		count = p.number(words[0])
	}
	for range count {
		p.stage.Round()
	}
}
