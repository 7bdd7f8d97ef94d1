package real

import "github.com/canisterd/canisterd/replica"

// round runs some rounds, one if no number is given.
func (p *performer) round(rest string) {
	count := 1
	if rest != "" {
		count = p.number(rest)
	}
	for range count {
		p.Round()
	}
}

// advance moves the time of the next round.
func (p *performer) advance(rest string) {
	p.Apply(replica.AdvanceTo(p.View().Time + uint64(p.number(rest))*1_000_000_000))
}
